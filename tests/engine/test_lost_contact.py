"""Contact that is lost during a run: by refusal or by silence, and what follows."""

import anyio
import pytest

from anarchon.events import Interrupted, Lost, Skip, Start, Success
from anarchon.model import LostContact, Status
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    Fault,
)
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


@pytest.mark.parametrize("fault", [FAIL_BEFORE, HANG_BEFORE, FAIL_AFTER, HANG_AFTER])
async def test_a_finish_without_an_answer_for_two_leases_costs_no_second_run(
    fault: Fault,
) -> None:
    """The heartbeat goes on until the end is stored: nobody can take over."""

    async def handler() -> None:
        await anyio.sleep(8)

    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.faults.always(fault, "finish")
        alone.scheduler.every("sync", "10m", handler)
        await alone.until_seen(Start, within=610)
        await anyio.sleep(8 + 30)
        taken = await alone.store.unfinished(["sync"])
        alone.faults.clear()
        await alone.until_seen(Success)

        if fault in {FAIL_BEFORE, HANG_BEFORE}:
            [run] = taken.runs
            assert run.left > 0
        assert [] == alone.seen(Lost)
        assert [Status.SUCCESS] == await alone.statuses()


async def test_a_store_silent_at_the_finish_gives_up_in_the_end() -> None:
    """After two leases and the stop timeout the success is told unwritten."""
    async with open_alone(lease=15, heartbeat=5, stop_timeout=10) as alone:
        alone.scheduler.every("sync", "10m", nothing)
        alone.faults.always(FAIL_BEFORE, "finish")
        await alone.until_seen(Start, within=610)
        began = anyio.current_time()
        await alone.until_seen(Success)

        assert 40 <= anyio.current_time() - began <= 46


LOSSES = {
    LostContact.CANCEL: (Interrupted, ["start", "lost", "interrupted"]),
    LostContact.CONTINUE: (Success, ["start", "success"]),
}


@pytest.mark.parametrize(("rule", "expected"), LOSSES.items())
async def test_silence_for_a_lease_is_a_loss_or_not_as_the_job_says(
    rule: LostContact, expected: tuple[type[Success | Interrupted], list[str]]
) -> None:
    """A handler is cancelled when contact is lost, unless its job goes on."""
    kind, names = expected

    async def handler() -> None:
        await anyio.sleep(30)

    async with open_alone(lease=15, heartbeat=5, on_lost_contact=rule) as alone:
        alone.scheduler.every("sync", "10m", handler)
        await alone.until_seen(Start, within=610)
        began = anyio.current_time()
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await alone.until_seen(kind)
        took = round(anyio.current_time() - began, 3)

        assert names == [n for n in alone.names() if n != "error"]
        if rule is LostContact.CANCEL:
            assert 15 <= took <= 15 + 3.75
            assert ["silence"] == [lost.cause for lost in alone.seen(Lost)]
            assert [True] == [record.handed_over for record in await alone.history()]
        else:
            assert 30 == took


@pytest.mark.parametrize("rule", list(LostContact))
async def test_a_refused_heartbeat_is_a_loss_whatever_the_job_says(
    rule: LostContact,
) -> None:
    """Somebody else has the run: the handler is cancelled, nothing is written."""
    async with open_alone(lease=15, heartbeat=5, on_lost_contact=rule) as alone:
        alone.scheduler.every("sync", "10m", forever)
        start = await alone.until_seen(Start, within=610)
        await alone.store.release("sync", start.slot, alone.token(start.slot))
        await alone.rival_wins(start.slot, attempt=2, lease=600)
        interrupted = await alone.until_seen(Interrupted, within=5)

        assert (False, False) == (interrupted.handed_over, interrupted.final)
        assert ["refused"] == [lost.cause for lost in alone.seen(Lost)]
        assert 0 == alone.faults.calls["finish"]
        assert [Status.INTERRUPTED, Status.RUNNING] == await alone.statuses()


async def test_a_handler_without_contact_is_not_overlapped_by_its_own_instance() -> (
    None
):
    """Its lease has run out in the store; here everybody knows that it goes on."""
    at_work = most = 0

    async def handler() -> None:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await anyio.sleep(50)
        at_work -= 1

    async with open_alone(
        lease=6, heartbeat=2, on_lost_contact="continue", max_late=5
    ) as alone:
        alone.scheduler.every("sync", "20s", handler)
        await alone.until_seen(Start)
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        success = await alone.until_seen(Success)

        assert 1 == most
        assert [("overlap", "A")] * 2 == [(s.reason, s.by) for s in alone.seen(Skip)]
        assert alone.seen(Start)[0].slot == success.slot


async def test_a_slot_won_late_is_not_run_beside_a_handler_without_contact() -> None:
    """The claim was asked while the older lease was alive: it is handed over."""
    at_work = most = 0

    async def handler() -> None:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await anyio.sleep(35)
        at_work -= 1

    async with open_alone(lease=6, heartbeat=2, on_lost_contact="continue") as alone:
        alone.scheduler.every("sync", "20s", handler)
        await alone.until_seen(Start)
        await anyio.sleep(18)
        alone.faults.always(FAIL_BEFORE, "heartbeat", "claim")
        await anyio.sleep(10)
        alone.faults.clear()
        alone.faults.always(FAIL_BEFORE, "heartbeat")
        await alone.until_seen(Interrupted, 2)

        assert 1 == most
        assert 1 == len(alone.seen(Start))
        newer = alone.seen(Start)[0].slot + 20_000
        assert [(newer, True)] == [
            (end.slot, end.handed_over)
            for end in alone.seen(Interrupted)
            if not end.final
        ]
