"""Law L5 on a lease store: runs of one job at the same time, refused or allowed."""

from anarchon.model import Overlap, Reason, Status
from anarchon.protocol import Done, Late, Overlapping, Running, Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.probe import LEASE, START, LeaseProbe

NEXT = SLOT + MINUTE


class NoOverlap:
    """With ``skip`` one run of a job is alive at a time."""

    async def test_live_run_blocks_a_newer_slot(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: while an older run has a live lease, nothing newer is granted."""
        await job.claim("a", lease=90.0)
        clock.move(60)
        reply = Overlapping(
            now=clock.ms, slot=SLOT, attempt=1, left=30.0, instance_id="A"
        )
        assert reply == await job.claim("b", NEXT)
        assert [job.record_of("a")] == await job.history()

    async def test_blocked_token_wins_once_the_way_is_free(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5, T5: ``overlap`` isn't final; the same token wins when the run is over."""
        await job.claim("a", lease=90.0)
        clock.move(60)
        assert isinstance(await job.claim("b", NEXT), Overlapping)
        await job.finish("a")
        assert Won(now=clock.ms, attempt=1, left=LEASE) == await job.claim("b", NEXT)

    async def test_dead_run_is_replaced(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: granting a newer slot ends, for good, an older run without its runner."""
        await job.claim("a")
        clock.move(60)
        ended = job.record_of("a", status=Status.INTERRUPTED, ended_at=clock.at)
        reply = Won(now=clock.ms, attempt=1, left=LEASE, ended=(ended,))
        assert reply == await job.claim("b", NEXT)
        running = job.record_of("b", NEXT, started_at=clock.at)
        assert [running, ended] == await job.history()
        done = Done(now=clock.ms, superseded=False, newest=NEXT, instance_id="A")
        assert done == await job.take_over("c", attempt=2)

    async def test_run_is_replaced_when_its_lease_ends(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: a lease that ends at this very millisecond blocks nothing."""
        await job.claim("a", lease=60.0)
        clock.move(59.999)
        assert isinstance(await job.claim("b", SLOT + 59_999), Overlapping)
        clock.move(0.001)
        assert isinstance(await job.claim("b", NEXT), Won)

    async def test_replaced_runner_is_fenced(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: the runner of a run that was replaced can't come back."""
        await job.claim("a")
        clock.move(60)
        await job.claim("b", NEXT)
        assert not (await job.heartbeat("a")).accepted
        assert not (await job.finish("a")).accepted
        assert [NEXT] == [run.slot for run in (await job.unfinished()).runs]

    async def test_handed_over_run_is_replaced(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6: a run that waits for a backup gives way, and stays handed over (T9)."""
        await job.claim("a")
        await job.release("a")
        clock.move(60)
        reply = await job.claim("b", NEXT)
        handed_over = job.record_of(
            "a", status=Status.INTERRUPTED, ended_at=START, handed_over=True
        )
        assert Won(now=clock.ms, attempt=1, left=LEASE, ended=(handed_over,)) == reply

    async def test_late_slot_replaces_nothing(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6, T7: a newer slot that isn't granted leaves the dead run to be had."""
        await job.claim("a")
        clock.move(121)
        assert Late(now=clock.ms) == await job.claim("b", NEXT)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_live_run_blocks_a_takeover(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: with ``skip`` a dead run isn't taken over while a newer one is alive."""
        await job.claim("a", overlap=Overlap.ALLOW)
        clock.move(60)
        await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        reply = Overlapping(
            now=clock.ms, slot=NEXT, attempt=1, left=LEASE, instance_id="B"
        )
        assert reply == await job.take_over("c", attempt=2)
        assert isinstance(await job.claim("a"), Won)

    async def test_own_live_run_comes_before_overlap(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2: who asks about a run that is alive hears of that run, not of another."""
        await job.claim("a", overlap=Overlap.ALLOW, lease=90.0)
        clock.move(60)
        await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        reply = Running(now=clock.ms, attempt=1, left=30.0, instance_id="A")
        assert reply == await job.claim("c")
        assert Won(now=clock.ms, attempt=1, left=30.0) == await job.claim("a")


class AllowedOverlap:
    """With ``allow`` runs of different slots have nothing to do with each other."""

    async def test_runs_are_alive_together(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: a live run doesn't block a newer slot, and both can beat and finish."""
        await job.claim("a", overlap=Overlap.ALLOW, lease=90.0)
        clock.move(60)
        reply = Won(now=clock.ms, attempt=1, left=LEASE)
        assert reply == await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        assert (await job.heartbeat("a")).accepted
        assert (await job.finish("a")).accepted
        assert (await job.finish("b", NEXT)).accepted

    async def test_dead_run_is_not_replaced(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: a newer slot doesn't end an older run; a backup can still have that."""
        await job.claim("a", overlap=Overlap.ALLOW)
        clock.move(60)
        reply = Won(now=clock.ms, attempt=1, left=LEASE)
        assert reply == await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        takeover = await job.take_over("c", attempt=2, overlap=Overlap.ALLOW)
        assert isinstance(takeover, Won)

    async def test_older_slot_is_still_superseded(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L3: slots stay in order, with ``allow`` as well."""
        clock.move(60)
        await job.claim("a", NEXT, overlap=Overlap.ALLOW)
        reply = Done(now=clock.ms, superseded=True, newest=NEXT)
        assert reply == await job.claim("b", SLOT, overlap=Overlap.ALLOW)

    async def test_history_is_sorted_by_start(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L10: an old slot that was taken over late stands where that was started."""
        await job.claim("a", overlap=Overlap.ALLOW)
        clock.move(60)
        await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        clock.move(1)
        await job.take_over("c", attempt=2, overlap=Overlap.ALLOW)
        read = [(record.slot, record.attempt) for record in await job.history()]
        assert [(SLOT, 2), (NEXT, 1), (SLOT, 1)] == read

    async def test_rule_of_the_asking_claim_counts(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: it is the newer claim that says whether it may run beside the older."""
        await job.claim("a", overlap=Overlap.ALLOW, lease=90.0)
        clock.move(60)
        reply = await job.claim("b", NEXT, overlap=Overlap.SKIP)
        assert isinstance(reply, Overlapping)
        reply = await job.claim("b", NEXT, overlap=Overlap.ALLOW)
        assert isinstance(reply, Won)

    async def test_catch_up_is_refused_like_any_other(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L5: the mode of a claim doesn't let it overlap."""
        await job.claim("a", lease=90.0)
        clock.move(60)
        reply = await job.claim("b", NEXT, mode=Reason.CATCH_UP)
        assert isinstance(reply, Overlapping)
