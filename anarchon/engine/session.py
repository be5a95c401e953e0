"""One life of the scheduler, from start to stop.

Decides what goes on meanwhile and in what order it ends. Must not know the public API,
nor how jobs are registered.

Ending, in order: nothing new is claimed (timers, watches and the sweep are cancelled
with their group, and whoever is asking with its scope; a call under way gets its
answer); the handlers are cancelled; their runs are waited for until the deadline. A
run that was won meanwhile is handed over, and a claim whose answer never came is
released by its token.
"""

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeVarTuple

import anyio
from anyio.abc import TaskGroup

from anarchon.bridge import Bridge
from anarchon.bridge.interrupts import spared
from anarchon.bridge.stray import StrayCancellations, is_stray
from anarchon.engine.calls import StoreCalls
from anarchon.engine.claim_runner import ClaimRunner
from anarchon.engine.instance import Instance
from anarchon.engine.intake import Intake
from anarchon.engine.job_state import JobState
from anarchon.engine.lease_runner import LeaseRunner
from anarchon.engine.pulse import Pulse
from anarchon.engine.recovery import Left, Recovery
from anarchon.engine.reports import Reports
from anarchon.engine.run import Run
from anarchon.engine.settle import until_answered
from anarchon.engine.store_time import StoreTime
from anarchon.engine.timers import Timers
from anarchon.engine.watch import Watch
from anarchon.errors import BackendUnavailable
from anarchon.jobs import Job
from anarchon.model import CancelReason, End, Reason, Status
from anarchon.protocol import Claim, ClaimStore
from anarchon.rules.lease import settle_limit

Ts = TypeVarTuple("Ts")

# seconds for what stop and closing have cut off to tell its end
UNWINDING = 1.0


class Session:
    """What one start began: the store, the timers, the watches and the runs."""

    def __init__(
        self,
        instance: Instance,
        bridge: Bridge,
        store: ClaimStore,
        jobs: Mapping[str, Job],
        *,
        leases: bool,
    ) -> None:
        self.instance = instance
        self.reports: Reports = Reports(instance)
        self.states: dict[str, JobState] = {
            name: JobState(job) for name, job in jobs.items()
        }
        self.leases = leases
        self.time: StoreTime = StoreTime(
            instance.clock,
            on_skew=self.reports.skew,
            on_move=self._look_again,
        )
        self.calls: StoreCalls = StoreCalls(
            bridge, store, self.time, instance.clock, self.reports
        )
        self.timers: Timers = Timers(
            instance.clock, self.time, fire=self._fire, broken=self.reports.broken
        )
        self.pulse: Pulse = Pulse(instance.clock)
        self.lease_runner: LeaseRunner = LeaseRunner(self)
        self._runner = self.lease_runner if leases else ClaimRunner(self)
        self._recovery = Recovery(self)
        self._first = tuple(self.states.values())
        self._left = Left((), 0.0)
        self._intake = Intake(self._recovery, instance.clock)
        self._stop = anyio.Event()
        self._task_over = anyio.Event()
        self._deadline = math.inf
        self._patience = anyio.CancelScope()
        self._shields: set[anyio.CancelScope] = set()
        self._claiming: set[anyio.CancelScope] = set()
        self._tasks = 0
        self._work: TaskGroup | None = None

    # --- the life -------------------------------------------------------------------

    @property
    def work(self) -> TaskGroup:
        """The group of all that stop cancels first; a run is not in it."""
        assert self._work is not None
        return self._work

    @property
    def stopping(self) -> bool:
        """Whether stop was called: nothing new may start."""
        return self._stop.is_set()

    async def open(self) -> None:
        """Read the store's time and what was left of all jobs; nothing begins yet.

        Raises:
            BackendUnavailable: the store did not answer.
        """
        answered = await self.calls.ask_time()
        left = await self._recovery.read(self._first) if answered else None
        if left is None:
            raise BackendUnavailable(
                f"the store was opened but did not answer: {self.calls.last_error}"
            )
        self._left = left

    async def run(self, ready: Callable[[], None]) -> None:
        """Schedule until ``stop`` is called, and wait for the runs after it."""
        fault: BaseException | None = None
        stray = StrayCancellations()
        try:
            await self._schedule(ready)
        except anyio.get_cancelled_exc_class():  # noqa: ASYNC103  the life ends here
            # whoever cancels all tasks of an asyncio loop wants an end, as stop does
            if not is_stray():
                raise
            await stray.settle()  # noqa: ASYNC102  it shields its one checkpoint
        except BaseExceptionGroup as group:
            # a bug, or Ctrl+C on Trio: the runs are handed over all the same
            fault = group
        await self._wait_for_runs()
        if fault is not None:
            raise fault

    async def _schedule(self, ready: Callable[[], None]) -> None:
        async with anyio.create_task_group() as self._work:
            try:
                await self._work_until_stopped(self._work, ready)
            except BaseException:
                # before the group takes no more tasks, whoever would add some knows
                self.stop(self.instance.stop_timeout)
                raise
            self._work.cancel_scope.cancel()

    async def _work_until_stopped(
        self, work: TaskGroup, ready: Callable[[], None]
    ) -> None:
        self._recovery.begin(self._first, self._left)
        work.start_soon(self.timers.run, self.calls.ask_time)
        work.start_soon(self.pulse.run)
        work.start_soon(self._intake.run)
        if self.leases:
            work.start_soon(self._recovery.sweep)
        ready()
        await self._stop.wait()

    async def _wait_for_runs(self) -> None:
        async with anyio.create_task_group() as beating:
            beating.start_soon(self.pulse.run)
            with self._patience:
                await self._until_left(lambda: 0)
            beating.cancel_scope.cancel()

    async def unwind(self) -> None:
        """Let what was cut off tell its end; a handler that goes on is left alone."""
        with anyio.move_on_after(UNWINDING):
            await self._until_left(self._overdue)

    async def _until_left(self, tasks: Callable[[], int]) -> None:  # noqa: ASYNC910  for none there is no wait
        while self._tasks > tasks():
            self._task_over = anyio.Event()
            await self._task_over.wait()

    def _overdue(self) -> int:
        return sum(run.overdue for run in self._runs())

    def _runs(self) -> Iterator[Run]:
        return (run for run in self.instance.runs() if run.session is self)

    def stop(self, timeout: float) -> None:
        """Claim nothing more, cancel the handlers, and bound what is left of them.

        Called again it can only shorten the time.
        """
        self._deadline = min(self._deadline, anyio.current_time() + timeout)
        self._stop.set()
        for run in self._runs():
            run.cancellation.cancel(CancelReason.STOP)
        for scope in self._claiming:
            scope.cancel()
        for scope in (*self._shields, self._patience):
            scope.deadline = self._deadline

    def spawn(self, work: Callable[[*Ts], Awaitable[object]], *args: *Ts) -> None:
        """Start a task of the nursery that stop waits for, within its timeout."""
        self._tasks += 1
        self.instance.nursery.start_soon(self._shielded, work, *args)

    @spared
    async def _shielded(
        self, work: Callable[[*Ts], Awaitable[object]], *args: *Ts
    ) -> None:
        """Keep the host's cancellation out; stop gives this its deadline."""
        shield = anyio.CancelScope(shield=True, deadline=self._deadline)
        self._shields.add(shield)
        try:
            with shield:
                await work(*args)
        finally:
            self._shields.discard(shield)
            self._tasks -= 1
            self._task_over.set()

    def _look_again(self) -> None:
        self.timers.look_again()

    # --- jobs -----------------------------------------------------------------------

    def add(self, job: Job) -> None:
        """Take a job on, with all that are added in the same turn of the loop."""
        state = self.states[job.name] = JobState(job)
        self._intake.add(state)

    def remove(self, name: str) -> None:
        """Hand no more slots of a job on, and watch it no more."""
        state = self.states.pop(name)
        self.timers.forget(state)
        if state.watch is not None:
            state.watch.end()

    def watch_of(self, state: JobState) -> Watch:
        """Return the watch of a job."""
        if state.watch is None:
            state.watch = Watch(self, state)
        return state.watch

    # --- runs -----------------------------------------------------------------------

    def _fire(self, state: JobState, slot: int) -> None:
        self.spawn(self.claiming, self._runner, state, slot, Reason.SCHEDULED)

    async def claiming(
        self, claim: Callable[[*Ts], Awaitable[Run | None]], *args: *Ts
    ) -> None:
        """Ask in a scope that stop cancels, then run what was won by then."""
        run = None
        with anyio.CancelScope() as scope:
            if self.stopping:
                scope.cancel()
            self._claiming.add(scope)
            try:
                run = await claim(*args)
            finally:
                self._claiming.discard(scope)
        if run is not None:
            await run()

    def adopt(self, run: Run) -> None:
        """Count a run as this instance's; one that may not start is handed over.

        It was won while stopping, after its job was removed, or while an older handler
        of the job goes on that forbids it.
        """
        job, state = run.job, self.states.get(run.job.name)
        known = state is not None and state.job is job
        stuck = not run.manual and self.instance.is_stuck(job.name)
        self.instance.add(run)
        if self.stopping or stuck or not known:
            run.cancellation.cancel(CancelReason.STOP)

    def begin(self, run: Run) -> None:
        """Start an adopted run as a task of the nursery."""
        self.spawn(run)

    def lost(self, job: str, slot: int, attempt: int) -> None:
        """Become a backup of a run that this instance had."""
        state = self.states.get(job)
        if state is not None and state.taken_on and not self.stopping:
            self.watch_of(state).lost(slot, attempt)

    def release_unknown(self, claim: Claim) -> None:
        """Let go of an attempt that may have been won unheard."""
        self.spawn(self._release_unknown, claim)

    async def _release_unknown(self, claim: Claim) -> None:
        async def let_go() -> bool | None:
            if self.leases:
                answer = await self.calls.release(claim)
            else:
                answer = await self.calls.finish(claim, NEVER_STARTED)
            return None if answer is None else answer.accepted

        limit = settle_limit(claim.lease, self.instance.stop_timeout)
        await until_answered(let_go, limit, self.instance.clock)


NEVER_STARTED = End(
    status=Status.INTERRUPTED, duration=0.0, error="stopped before it started"
)
