"""Laws L3 and L4: slots in order, not early, not late.

Decides what holds for every store, and what for those that keep an order of slots or
tell their time; every lease store does both.
"""

from anarchon.model import Reason
from anarchon.protocol import Done, Early, Late, Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.laws.manual import manual
from anarchon.testing.conformance.probe import LIMIT, Probe

HOUR = 3_600


class Slots:
    """What every store grants, and never again."""

    async def test_granted_slot_is_never_granted_again(self, job: Probe) -> None:
        """L3: a slot that was granted once, and finished, has had its first attempt."""
        await job.run("a")
        assert not isinstance(await job.claim("b"), Won)
        assert [job.success_of("a")] == await job.history()

    async def test_next_slot_is_granted(self, job: Probe, clock: ManualClock) -> None:
        """L3: each newer slot is granted in its turn."""
        for minute in range(3):
            await job.run(f"a{minute}", SLOT + minute * MINUTE)
            clock.move(60)

    async def test_slot_due_now_wins(self, job: Probe) -> None:
        """L4: a slot is due from its very millisecond on."""
        assert isinstance(await job.claim("a", SLOT), Won)


class InTime:
    """For a store that tells its time: what is early or late, it refuses itself."""

    async def test_slot_ahead_is_early(self, job: Probe, clock: ManualClock) -> None:
        """L4: a slot a millisecond ahead is refused, and told the store's time."""
        assert Early(now=clock.ms) == await job.claim("a", SLOT + 1)
        assert [] == await job.history()

    async def test_early_slot_is_granted_in_time(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L4: being early takes nothing from anybody; the same token wins later."""
        await job.claim("a", SLOT + HOUR * 1000)
        await job.run("b", SLOT)
        clock.move(HOUR)
        assert isinstance(await job.claim("a", SLOT + HOUR * 1000), Won)

    async def test_claim_at_the_limit_wins(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """The limit itself is still in time, by the store's clock."""
        clock.move(LIMIT)
        assert isinstance(await job.claim("a", limit=LIMIT), Won)

    async def test_claim_past_the_limit_is_late(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """One millisecond past the limit nothing is granted, and nothing changed."""
        clock.move(LIMIT + 0.001)
        assert Late(now=clock.ms) == await job.claim("a", limit=LIMIT)
        assert [] == await job.history()

    async def test_limit_of_the_asking_claim_counts(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """A slot that is late for one claim is in time for one that allows more."""
        clock.move(LIMIT + 1)
        assert Late(now=clock.ms) == await job.claim("a", limit=LIMIT)
        reply = await job.claim("b", mode=Reason.CATCH_UP, limit=300.0)
        assert isinstance(reply, Won)

    async def test_time_is_the_stores(self, job: Probe, clock: ManualClock) -> None:
        """Every reply and the time itself come from one clock, the store's."""
        clock.move(-HOUR)
        assert clock.ms == await job.time()
        assert Early(now=clock.ms) == await job.claim("a")


class InOrder:
    """For a store that tells its time and grants no slot older than the newest."""

    async def test_older_slot_is_superseded(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3: a slot older than the newest granted one is never granted."""
        await job.run("a")
        reply = Done(now=clock.ms, superseded=True, newest=SLOT)
        assert reply == await job.claim("b", SLOT - 1)

    async def test_superseded_comes_before_late(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3: an old slot is told to be replaced even when it would be late as well."""
        await job.claim("a")
        clock.move(HOUR)
        reply = Done(now=clock.ms, superseded=True, newest=SLOT)
        assert reply == await job.claim("b", SLOT - MINUTE)

    async def test_trimmed_slot_is_not_granted_again(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3, T8: that a slot was granted outlives the records of it."""
        for minute in range(5):
            slot = SLOT + minute * MINUTE
            await job.run(f"a{minute}", slot, keep=1, keep_for=0.0)
            clock.move(60)
        assert SLOT not in {record.slot for record in await job.history()}
        reply = await job.claim("b", SLOT, limit=HOUR)
        newest = SLOT + 4 * MINUTE
        assert Done(now=clock.ms, superseded=True, newest=newest) == reply

    async def test_clock_set_back_repeats_nothing(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3, L4: an hour that the store's clock goes through twice is granted once."""
        await job.run("a")
        clock.move(-HOUR)
        assert not isinstance(await job.claim("b", SLOT), Won)
        assert not isinstance(await job.claim("b", SLOT - HOUR * 1000), Won)
        clock.move(HOUR)
        assert not isinstance(await job.claim("c", SLOT), Won)
        clock.move(60)
        assert isinstance(await job.claim("c", SLOT + MINUTE), Won)

    async def test_clock_set_forward_repeats_nothing(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3: after a clock that ran ahead is right again, only newer slots run."""
        clock.move(HOUR)
        await job.run("a", SLOT + HOUR * 1000)
        clock.move(60 - HOUR)
        reply = Done(now=clock.ms, superseded=True, newest=SLOT + HOUR * 1000)
        assert reply == await job.claim("b", SLOT + MINUTE)

    async def test_manual_record_is_no_record_of_the_slot(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """A slot that was never granted reads as superseded, manual run or not."""
        await job.record(manual(job, "m"), "m")
        clock.move(60)
        await job.claim("a", SLOT + MINUTE)
        reply = Done(now=clock.ms, superseded=True, newest=SLOT + MINUTE)
        assert reply == await job.claim("b", SLOT)
