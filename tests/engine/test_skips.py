"""Slots that this instance doesn't run: each is told once, with the reason."""

import anyio
import pytest

from anarchon.events import Error, Event, Interrupted, Skip, Start, Success
from anarchon.model import Reason, Status
from anarchon.protocol import Claim
from anarchon.testing.clocks import GatedClock, VirtualClock
from anarchon.testing.faults import FAIL_AFTER, FAIL_BEFORE, HANG_BEFORE, Fault
from anarchon.testing.gate import Gate
from tests.alone import Alone, open_alone, rival_claim

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


def claims(alone: Alone) -> list[Claim]:
    """Return the claims that were answered or failed, oldest first."""
    return [
        arg
        for call in alone.faults.log
        if call.operation == "claim"
        for arg in call.args
        if isinstance(arg, Claim)
    ]


def told(alone: Alone) -> list[tuple[int, str, str | None]]:
    """Return all skips: slot, reason, by whom."""
    return [(skip.slot, skip.reason, skip.by) for skip in alone.seen(Skip)]


@pytest.mark.parametrize("leases", [True, False])
async def test_a_slot_that_somebody_runs_is_taken(leases: bool) -> None:
    """The skip says by whom."""
    async with open_alone(leases=leases) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.001)
        await alone.rival_wins(slot)
        await anyio.sleep(1)

        assert [(slot, "taken", "B")] == told(alone)


async def test_a_slot_that_somebody_has_run_is_taken() -> None:
    """A finished run is as taken as one in progress."""
    async with open_alone(jitter=0) as alone:
        alone.faults.script("claim", Fault(request_delay=2))
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.5)
        token = await alone.rival_wins(slot)
        await alone.store.release("sync", slot, token)
        await alone.store.claim(rival_claim(slot, attempt=2))
        await anyio.sleep(2)

        assert [(slot, "taken", "B")] == told(alone)


async def test_a_slot_during_an_older_run_is_an_overlap() -> None:
    """The skip says who is at work."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=70)
        await alone.until_due()
        await anyio.sleep(1)

        assert [(slot, "taken", "B"), (slot + 60_000, "overlap", "B")] == told(alone)


async def test_a_slot_older_than_the_newest_is_superseded() -> None:
    """A claim that arrives after a newer slot was granted is never granted."""
    async with open_alone() as alone:
        alone.faults.script("claim", Fault(request_delay=4))
        alone.scheduler.every("sync", "1s", nothing, overlap="allow")
        slot = await alone.until_due()
        await anyio.sleep(2.5)
        await alone.rival_wins(slot + 2_000)
        await anyio.sleep(2)

        assert (slot, "superseded") == told(alone)[0][:2]
        assert 0 == sum(event.slot == slot for event in alone.seen(Start))


async def test_a_slot_that_is_reached_too_late_is_not_asked_for() -> None:
    """Lateness is looked at before the claim; the next slot is on time."""
    gate = Gate()
    async with open_alone(
        clock=GatedClock(VirtualClock(), gate), max_late=5, lease="10m"
    ) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = await alone.until_due(before=1)
        gate.freeze()
        await anyio.sleep(7)
        gate.thaw()
        await alone.until_seen(Skip)

        assert [(slot, "late", None)] == told(alone)
        assert 0 == alone.faults.calls["claim"]
        success = await alone.until_seen(Success)
        assert slot + 60_000 == success.slot


async def test_a_claim_that_reaches_the_store_too_late_is_late() -> None:
    """The store's clock decides."""
    async with open_alone(max_late=5, lease=30) as alone:
        alone.faults.script("claim", FAIL_BEFORE, FAIL_BEFORE, Fault(request_delay=5.1))
        alone.scheduler.every("sync", "1m", nothing, lease=60)
        slot = await alone.until_due()
        await alone.until_seen(Skip)

        assert [(slot, "late", None)] == told(alone)
        assert 0 == len(await alone.history())


async def test_a_claim_without_an_answer_is_repeated_with_its_token() -> None:
    """A reply that was lost is asked for again, and the run is run."""
    async with open_alone() as alone:
        alone.faults.script("claim", FAIL_AFTER, FAIL_BEFORE, FAIL_AFTER)
        alone.scheduler.every("sync", "1m", nothing)
        success = await alone.until_seen(Success)

        asked = claims(alone)
        assert 4 == len(asked)
        assert 1 == len({claim.token for claim in asked})
        assert {(success.slot, 1)} == {(claim.slot, claim.attempt) for claim in asked}
        errors = alone.seen(Error)
        assert ["claim"] * 3 == [error.operation for error in errors]
        assert {("sync", success.slot, 1)} == {
            (error.job, error.slot, error.attempt) for error in errors
        }
        assert [Status.SUCCESS] == await alone.statuses()


async def test_each_slot_is_asked_for_with_a_token_of_its_own() -> None:
    """No token serves two slots."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        await alone.until_seen(Success, 3, within=190)

        assert 3 == len({claim.token for claim in claims(alone)})


async def test_an_unanswered_claim_is_given_up_when_the_run_could_not_start() -> None:
    """It is late then, and a backup's checks find out what became of it."""
    async with open_alone(max_late=10) as alone:
        alone.faults.always(FAIL_AFTER, "claim")
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await alone.until_seen(Skip)
        gave_up = alone.clock.time() - slot / 1000
        alone.faults.clear()
        success = await alone.until_seen(Success)

        assert 10 <= gave_up <= 15
        assert [(slot, "late", None)] == told(alone)
        assert (slot, 1, "scheduled") == (
            success.slot,
            success.attempt,
            success.record.reason,
        )
        assert 1 == len({claim.token for claim in claims(alone)})


async def test_the_claims_of_a_job_are_sent_in_slot_order() -> None:
    """While one is unanswered the next one waits for its turn."""
    async with open_alone() as alone:
        alone.faults.script("claim", Fault(reply_delay=2.5), FAIL_BEFORE)
        alone.scheduler.every("sync", "1s", nothing)
        await alone.until_seen(Success, 4)

        slots = [claim.slot for claim in claims(alone)]
        assert sorted(slots) == slots


@pytest.mark.parametrize("leases", [True, False])
async def test_slots_that_waited_too_long_for_their_turn_are_not_asked_for(
    leases: bool,
) -> None:
    """However long a store was silent, no backlog is left when it is back."""
    async with open_alone(leases=leases, max_late=10) as alone:
        alone.faults.always(HANG_BEFORE, "claim")
        alone.scheduler.every("sync", "1s", nothing)
        await anyio.sleep(600)
        alone.faults.clear()
        back, sent = alone.clock.time(), len(claims(alone))
        await alone.until_seen(Success)

        first = [c for c in claims(alone)[sent:] if c.mode is Reason.SCHEDULED]
        late = [claim for claim in first if claim.slot / 1000 + 10 < back]
        assert len(late) <= 1, "none but the one that was under way"
        assert {"late"} == {reason for _, reason, _ in told(alone)}


async def test_jobs_do_not_wait_for_the_claims_of_other_jobs() -> None:
    """An unanswered claim holds its own job alone."""
    async with open_alone() as alone:
        alone.faults.script("claim", Fault(reply_delay=5))
        alone.scheduler.every("sync", "1m", nothing)
        alone.scheduler.every("other", "1m", nothing, offset=1)
        await alone.until_due()
        success = await alone.until_seen(Success, within=3)

        assert "other" == success.job


async def test_a_slot_ahead_of_the_stores_clock_waits_the_rest() -> None:
    """A claim that is early by a little is sent again when it is due."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = await alone.until_due()
        success = await alone.until_seen(Success)

        assert slot == success.slot
        assert success.record.started_at.timestamp() * 1000 >= slot
        assert [] == told(alone)


@pytest.mark.parametrize("leases", [True, False])
async def test_a_slot_that_was_early_is_claimed_again_under_its_token(
    leases: bool,
) -> None:
    """L2: so a copy of the first claim, which arrives in between, is its own win."""
    clock = VirtualClock()
    async with open_alone(clock=clock, leases=leases, jitter=0) as alone:
        alone.faults.script("claim", Fault(request_delay=0.5, copy_after=9.51))
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.2)
        clock.step(-10)
        success = await alone.until_seen(Success)

        asked = [claim for claim in claims(alone) if claim.slot == slot]
        assert 1 < len(asked)
        assert 1 == len({claim.token for claim in asked})
        assert slot == success.slot
        assert [] == told(alone)


@pytest.mark.parametrize("leases", [True, False])
async def test_a_newest_slot_far_ahead_is_told_once(leases: bool) -> None:
    """The event names the job, by how much, and where to read what to do."""
    clock = VirtualClock()
    async with open_alone(clock=clock, leases=leases) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = await alone.until_due()
        clock.step(601)
        await alone.rival_wins(slot + 600_000)
        clock.step(-601)
        await anyio.sleep(200)

        [error] = [error for error in alone.seen(Error) if error.operation == "claim"]
        assert "'sync' is 600 s ahead of the store's clock" in error.error
        assert "docs/laws.md" in error.error
        assert {"superseded"} == {reason for _, reason, _ in told(alone)}
        assert 2 <= len(told(alone))


async def test_a_run_that_somebody_left_for_good_is_told_by_who_notices() -> None:
    """A newer slot replaces a run whose runner is gone: interrupted, final."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing, catch_up=0)
        slot = await alone.until_due()
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=59.9)
        await alone.until_seen(Success)

        [replaced] = alone.seen(Interrupted)
        assert (slot, 1, True, False) == (
            replaced.slot,
            replaced.attempt,
            replaced.final,
            replaced.handed_over,
        )
        assert "B" == replaced.record.instance_id
        assert "A" == replaced.instance_id


async def test_a_run_out_of_attempts_is_told_by_who_notices() -> None:
    """The last attempt's runner is gone: interrupted, final, once."""
    async with open_alone(max_attempts=1, lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=15)
        await alone.until_seen(Interrupted)
        await anyio.sleep(60)

        [over] = alone.seen(Interrupted)
        assert (slot, 1, True) == (over.slot, over.attempt, over.final)
        assert [Status.INTERRUPTED] == await alone.statuses()
        assert [] == alone.seen(Start)


async def test_a_backups_checks_are_no_skips() -> None:
    """However often it asks, one claim is one skip."""
    async with open_alone(lease=30, heartbeat=5) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        slot = await alone.until_due()
        await anyio.sleep(0.001)
        await alone.rival_wins(slot, lease=100)
        asked = alone.faults.calls["claim"]
        await anyio.sleep(90)

        assert 5 < alone.faults.calls["claim"] - asked
        assert ["skip"] == [event.name for event in alone.seen(Event)]
