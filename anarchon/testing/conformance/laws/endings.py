"""Law L9 on a lease store: nothing stays unfinished, and all that is can be read."""

from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Done, Overlapping, Running, Unfinished, UnfinishedRun, Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.probe import LEASE, LeaseProbe

HOUR = 3_600
ATTEMPTS = 3


async def lose_attempts(job: LeaseProbe, clock: ManualClock) -> None:
    """Start a run as often as is allowed, and let the lease run out each time."""
    await job.claim("t1")
    clock.move(LEASE)
    for attempt in range(2, ATTEMPTS + 1):
        assert isinstance(await job.take_over(f"t{attempt}", attempt), Won)
        clock.move(LEASE)


class Endings:
    """How a run ends that no runner ends."""

    async def test_run_ends_with_its_last_attempt(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: the step that finds the attempts used up ends the run, and tells it."""
        await lose_attempts(job, clock)
        last = job.record_of(
            "t3",
            attempt=3,
            reason=Reason.TAKEOVER,
            status=Status.INTERRUPTED,
            started_at=(await job.history())[0].started_at,
            ended_at=clock.at,
        )
        reply = Done(
            now=clock.ms,
            superseded=False,
            newest=SLOT,
            instance_id="T3",
            ended=(last,),
        )
        assert reply == await job.take_over("t4", attempt=4)
        assert last == (await job.history())[0]
        assert () == (await job.unfinished()).runs

    async def test_end_for_good_is_told_once(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: whoever asks afterwards hears that the run is done, and no more."""
        await lose_attempts(job, clock)
        await job.take_over("t4", attempt=4)
        reply = Done(now=clock.ms, superseded=False, newest=SLOT, instance_id="T3")
        assert reply == await job.take_over("t4", attempt=4)
        assert reply == await job.take_over("t5", attempt=4)

    async def test_last_runner_is_fenced(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L7: a runner of a run that ended for good can't finish it any more."""
        await lose_attempts(job, clock)
        await job.take_over("t4", attempt=4)
        assert not (await job.heartbeat("t3")).accepted
        assert not (await job.finish("t3")).accepted
        assert Status.INTERRUPTED == (await job.history())[0].status

    async def test_attempt_limit_of_the_asking_claim_counts(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: where instances differ, the limit of the one that asks decides."""
        await lose_attempts(job, clock)
        reply = await job.take_over("t4", attempt=4, max_attempts=4)
        assert isinstance(reply, Won)

    async def test_failure_is_final(self, job: LeaseProbe, clock: ManualClock) -> None:
        """L10: a handler that raised isn't started again, attempts left or not."""
        await job.claim("a")
        await job.finish("a", end=End(status=Status.FAILED, duration=0.1, error="no"))
        reply = Done(now=clock.ms, superseded=False, newest=SLOT, instance_id="A")
        assert reply == await job.take_over("b", attempt=2)

    async def test_lease_past_a_clock_set_back_runs_out(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: with the clock an hour back, a lease counts as given just now."""
        await job.claim("a")
        clock.move(-HOUR)
        reply = Running(now=clock.ms, attempt=1, left=LEASE, instance_id="A")
        assert reply == await job.take_over("b", attempt=2)
        clock.move(LEASE)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_lease_past_a_clock_set_back_has_its_own_length(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: it is the length that its runner asked for last, not the asker's."""
        await job.claim("a")
        await job.heartbeat("a", lease=10.0)
        clock.move(-HOUR)
        reply = Running(now=clock.ms, attempt=1, left=10.0, instance_id="A")
        assert reply == await job.take_over("b", attempt=2, lease=90.0)
        clock.move(10)
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_blocking_lease_past_a_clock_set_back_runs_out(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: a claim of another slot sees to it as well that such a lease ends."""
        clock.move(50)
        await job.claim("a")
        clock.move(-40)
        newer = SLOT + 10_000
        assert isinstance(await job.claim("b", newer), Overlapping)
        clock.move(LEASE)
        assert isinstance(await job.claim("b", newer), Won)

    async def test_last_runner_is_told_past_a_clock_set_back(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """Who ran a slot last had its last attempt, whenever that seems to start."""
        await job.claim("a")
        clock.move(-60)
        await job.release("a")
        await job.take_over("b", 2)
        assert (await job.finish("b")).accepted
        reply = await job.claim("c")
        done = Done(now=clock.ms, superseded=False, newest=SLOT, instance_id="B")
        assert done == reply

    async def test_live_runner_survives_a_clock_set_back(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: a runner that goes on beating keeps its run through the step."""
        await job.claim("a")
        clock.move(-HOUR)
        assert (await job.heartbeat("a")).accepted
        clock.move(LEASE - 1)
        assert isinstance(await job.take_over("b", attempt=2), Running)
        assert (await job.finish("a")).accepted

    async def test_own_lease_past_a_clock_set_back_is_not_longer(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: a runner that asks again isn't promised more than its lease."""
        await job.claim("a")
        clock.move(-HOUR)
        assert Won(now=clock.ms, attempt=1, left=LEASE) == await job.claim("a")


class Reading:
    """All unfinished runs of many jobs are read in one call."""

    async def test_unfinished_runs_are_read(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: a run is read with its attempt, its runner and what is left."""
        await job.claim("a")
        clock.move(LEASE)
        await job.take_over("b", attempt=2)
        clock.move(10)
        run = UnfinishedRun(
            job="job", slot=SLOT, attempt=2, instance_id="B", left=LEASE - 10
        )
        assert Unfinished(now=clock.ms, runs=(run,)) == await job.unfinished()

    async def test_dead_runs_are_read(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9, T6: a run that nobody watches is found, however long it is dead."""
        await job.claim("a")
        clock.move(HOUR)
        reply = await job.unfinished()
        assert [LEASE - HOUR] == [run.left for run in reply.runs]
        assert isinstance(await job.take_over("b", attempt=2), Won)

    async def test_released_runs_are_read(self, job: LeaseProbe) -> None:
        """L8: a run that was handed over is unfinished until somebody takes it."""
        await job.claim("a")
        await job.release("a")
        assert [0.0] == [run.left for run in (await job.unfinished()).runs]

    async def test_ended_runs_are_not_read(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: neither a finished run nor one that was refused is unfinished."""
        await job.run("a")
        await job.claim("b", SLOT + 1)
        assert Unfinished(now=clock.ms, runs=()) == await job.unfinished()

    async def test_reading_changes_nothing(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: reading prolongs no lease, nor does it end one."""
        await job.claim("a")
        clock.move(LEASE - 1)
        await job.unfinished()
        clock.move(1)
        await job.unfinished()
        assert (await job.heartbeat("a")).accepted

    async def test_left_past_a_clock_set_back_is_a_lease(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: what is read of a lease never exceeds its length."""
        await job.claim("a")
        clock.move(-HOUR)
        assert [LEASE] == [run.left for run in (await job.unfinished()).runs]

    async def test_runs_of_many_jobs_are_read_at_once(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L9: the jobs asked for are read, and the slots of each from the oldest on."""
        names = [f"job {number}" for number in range(50)]
        await job.prepare(*names, "unasked", "idle")
        await job.named("unasked").claim("u")
        for slot in (SLOT, SLOT + MINUTE):
            for number, name in enumerate(names):
                token = f"t{number}-{slot}"
                await job.named(name).claim(token, slot, overlap=Overlap.ALLOW)
            clock.move(60)
        reply = await job.named("idle").unfinished(*names)
        read = {name: [r.slot for r in reply.runs if r.job == name] for name in names}
        assert {name: [SLOT, SLOT + MINUTE] for name in names} == read
        assert 2 * len(names) == len(reply.runs)

    async def test_unknown_jobs_have_no_runs(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """A job without any run, or without a trace in the store, reads as idle."""
        assert Unfinished(now=clock.ms, runs=()) == await job.unfinished("no such job")

    async def test_unfinished_record_is_never_trimmed(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L10: the record of an attempt that is running stays, however old."""
        await job.claim("a", overlap=Overlap.ALLOW, lease=HOUR)
        for minute in range(1, 6):
            clock.move(60)
            slot = SLOT + minute * MINUTE
            allow = Overlap.ALLOW
            await job.run(f"b{minute}", slot, overlap=allow, keep=1, keep_for=0.0)
        assert [5 * MINUTE, 0] == [r.slot - SLOT for r in await job.history()]
        assert (await job.finish("a")).accepted

    async def test_end_under_a_clock_set_back_is_not_trimmed(
        self, job: LeaseProbe, clock: ManualClock
    ) -> None:
        """L10, T10: a record is old by the clock of the step that drops it."""
        allow = Overlap.ALLOW
        await job.claim("a", overlap=allow)
        clock.move(60)
        await job.claim("b", SLOT + MINUTE, overlap=allow)
        clock.move(HOUR)
        await job.claim("c", clock.ms, overlap=allow, keep=1)
        clock.move(60 - HOUR)
        assert (await job.finish("a")).accepted
        reply = await job.take_over("d", 2, SLOT + MINUTE, overlap=allow, keep=1)
        assert isinstance(reply, Won)
        assert (await job.finish("a")).accepted
