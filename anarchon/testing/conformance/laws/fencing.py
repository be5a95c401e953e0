"""Laws L7 and L8 on a lease store: fencing, and what a hand-over does."""

from anarchon.model import Reason, Status
from anarchon.protocol import Answer, Done, Running, Won
from anarchon.testing.conformance.clock import SLOT, ManualClock
from anarchon.testing.conformance.probe import LEASE, START, LeaseProbe


class Fencing:
    """Only the current token of an unfinished run may act on it."""

    async def test_heartbeat_pushes_the_lease(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: the lease then ends a full length after the heartbeat, no later."""
        await job.claim("a")
        clock.move(20)
        reply = Answer(now=clock.ms, accepted=True, left=LEASE)
        assert reply == await job.heartbeat("a")
        clock.move(LEASE - 0.001)
        assert isinstance(await job.take_over("b", attempt=2), Running)
        clock.move(0.001)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_heartbeat_has_a_length_of_its_own(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a heartbeat may ask for less than the claim did."""
        await job.claim("a", lease=60.0)
        reply = Answer(now=clock.ms, accepted=True, left=5.0)
        assert reply == await job.heartbeat("a", lease=5.0)
        clock.move(5)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_late_heartbeat_revives_what_nobody_took(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a heartbeat after the lease's end is accepted under the current token."""
        await job.claim("a")
        clock.move(LEASE + 60)
        assert (await job.heartbeat("a")).accepted
        assert isinstance(await job.take_over("b", attempt=2), Running)

    async def test_finish_after_the_lease_is_accepted(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a slow end counts as long as nobody took the run over."""
        await job.claim("a")
        clock.move(LEASE + 60)
        assert Answer(now=clock.ms, accepted=True) == await job.finish("a")
        assert [job.success_of("a", ended_at=clock.at)] == await job.history()

    async def test_old_token_is_refused_after_a_takeover(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a runner that wakes up after a takeover changes nothing any more."""
        await job.claim("a")
        clock.move(LEASE)
        await job.take_over("b", attempt=2)
        before = await job.history(), await job.unfinished()
        refused = Answer(now=clock.ms, accepted=False)
        assert refused == await job.heartbeat("a")
        assert refused == await job.finish("a")
        assert refused == await job.release("a")
        assert before == (await job.history(), await job.unfinished())

    async def test_foreign_token_is_refused(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a token that never won can neither beat, finish nor release."""
        await job.claim("a")
        before = await job.history(), await job.unfinished()
        refused = Answer(now=clock.ms, accepted=False)
        assert refused == await job.heartbeat("b")
        assert refused == await job.finish("b")
        assert refused == await job.release("b")
        assert before == (await job.history(), await job.unfinished())

    async def test_finished_run_is_left_alone(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: after the end its token is good for the same finish and nothing else."""
        await job.run("a")
        refused = Answer(now=clock.ms, accepted=False)
        assert refused == await job.heartbeat("a")
        assert refused == await job.release("a")
        assert [job.success_of("a")] == await job.history()
        assert () == (await job.unfinished()).runs

    async def test_nothing_acts_on_a_slot_that_nobody_has(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: without a run there is nothing to beat or release."""
        refused = Answer(now=clock.ms, accepted=False)
        assert refused == await job.heartbeat("a")
        assert refused == await job.release("a")

    async def test_token_acts_on_its_own_slot_only(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: the token of one slot is worth nothing for another."""
        await job.claim("a")
        refused = Answer(now=clock.ms, accepted=False)
        assert refused == await job.heartbeat("a", SLOT - 1)
        assert refused == await job.finish("a", SLOT - 1)
        assert refused == await job.release("a", SLOT - 1)


class HandOver:
    """A release ends the lease at once, is free, and spends its token."""

    async def test_released_run_is_taken_over_at_once(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8: a hand-over waits for no lease."""
        await job.claim("a")
        clock.move(3)
        assert Answer(now=clock.ms, accepted=True) == await job.release("a")
        clock.move(2)
        reply = Won(now=clock.ms, attempt=2, left=LEASE, taken_from="A", waited=2.0)
        assert reply == await job.take_over("b", attempt=2)

    async def test_hand_over_is_recorded(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8: the attempt ends with the release, interrupted and handed over."""
        await job.claim("a")
        clock.move(3)
        await job.release("a")
        record = job.record_of(
            "a", status=Status.INTERRUPTED, ended_at=clock.at, handed_over=True
        )
        assert [record] == await job.history()

    async def test_takeover_leaves_the_record_of_a_hand_over(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L6, T9: an attempt that ended keeps its end, whoever comes next."""
        await job.claim("a")
        await job.release("a")
        clock.move(3)
        await job.take_over("b", attempt=2)
        handed_over = job.record_of(
            "a", status=Status.INTERRUPTED, ended_at=START, handed_over=True
        )
        running = job.record_of(
            "b", attempt=2, reason=Reason.TAKEOVER, started_at=clock.at
        )
        assert [running, handed_over] == await job.history()

    async def test_attempts_of_one_instant_are_read_newest_first(
        self, job: LeaseProbe
    ) -> None:
        """L10: of attempts that started together the later one comes first."""
        await job.claim("a")
        await job.release("a")
        await job.take_over("b", attempt=2)
        assert [2, 1] == [record.attempt for record in await job.history()]

    async def test_repeated_release_is_accepted(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L2: while nobody took the run, a repeated release changes nothing."""
        await job.claim("a")
        await job.release("a")
        before = await job.history()
        clock.move(1)
        assert Answer(now=clock.ms, accepted=True) == await job.release("a")
        assert before == await job.history()
        clock.move(1)
        reply = await job.take_over("b", attempt=2)
        assert isinstance(reply, Won)
        assert 2.0 == reply.waited

    async def test_heartbeat_after_a_release_is_refused(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8, T2: a heartbeat that comes late revives nothing."""
        await job.claim("a")
        await job.release("a")
        assert Answer(now=clock.ms, accepted=False) == await job.heartbeat("a")
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_finish_after_a_release_is_refused(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8: a token that was spent ends nothing."""
        await job.claim("a")
        await job.release("a")
        before = await job.history()
        assert Answer(now=clock.ms, accepted=False) == await job.finish("a")
        assert before == await job.history()

    async def test_copy_of_the_claim_after_a_release_is_refused(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8: no late copy of the winning claim brings a spent token back."""
        await job.claim("a")
        await job.release("a")
        reply = Running(now=clock.ms, attempt=1, left=0.0, instance_id="A")
        assert reply == await job.claim("a")

    async def test_released_run_stays_so_when_the_clock_is_set_back(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8, L9: a lease that was ended has no length left to be counted anew."""
        await job.claim("a")
        await job.release("a")
        clock.move(-10)
        assert [0.0] == [run.left for run in (await job.unfinished()).runs]
        reply = Won(now=clock.ms, attempt=2, left=LEASE, taken_from="A", waited=0.0)
        assert reply == await job.take_over("b", attempt=2)

    async def test_hand_overs_do_not_count(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8: a run that is only ever handed over never uses up its attempts."""
        await job.claim("t1", max_attempts=1)
        for attempt in range(2, 7):
            await job.release(f"t{attempt - 1}")
            reply = await job.take_over(f"t{attempt}", attempt, max_attempts=1)
            assert isinstance(reply, Won)
        clock.move(LEASE)
        reply = await job.take_over("t7", attempt=7, max_attempts=1)
        assert isinstance(reply, Done)

    async def test_repeated_release_frees_one_attempt(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L8, L2: however often it is sent, a release is one hand-over."""
        await job.claim("a", max_attempts=1)
        for _ in range(3):
            await job.release("a")
        await job.take_over("b", attempt=2, max_attempts=1)
        clock.move(LEASE)
        assert isinstance(await job.take_over("c", attempt=3, max_attempts=1), Done)
