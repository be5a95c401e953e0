"""The scheduler that users hold: its jobs, its states, its runs and records.

Decides the public API. Must not know how a slot becomes a run, nor who opens its block.
"""

import signal
from collections.abc import Iterable, Mapping

import anyio
import anyio.lowlevel

from anarchon import serving
from anarchon.bridge.interrupts import spared
from anarchon.connecting import connected
from anarchon.engine.instance import Instance
from anarchon.engine.manual_run import ManualRun
from anarchon.engine.session import Session
from anarchon.errors import (
    BackendTooOld,
    BackendUnavailable,
    SchedulerNotRunning,
)
from anarchon.jobs import Job, Registrar
from anarchon.lifecycle import CLOSE_WITHIN, Life
from anarchon.listening import Listening
from anarchon.model import RunRecord, State
from anarchon.protocol import Backend
from anarchon.registry import Registry
from anarchon.rules.durations import Duration, to_seconds
from anarchon.rules.lease import MAX_CALL
from anarchon.rules.names import check_job_name
from anarchon.rules.values import to_count

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Scheduler(Registrar, Listening):
    """Runs jobs on their schedules, together with all instances on the same store.

    Made by ``open_scheduler``. Its methods belong to the loop of that block.
    """

    def __init__(
        self, backend: Backend, instance: Instance, defaults: Mapping[str, object]
    ) -> None:
        super().__init__(instance.bus)
        self._backend = backend
        self._instance = instance
        self._registry = Registry(backend, defaults)
        self._life: Life | None = None

    # --- what it is -----------------------------------------------------------------

    @property
    def instance_id(self) -> str:
        """Who this instance is, for people to read; it never grants ownership."""
        return self._instance.instance_id

    @property
    def state(self) -> State:
        """``idle``, ``starting``, ``running`` or ``stopping``."""
        return State.IDLE if self._life is None else self._life.state

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The registered jobs, with the options that they have on this scheduler."""
        return tuple(self._registry.jobs.values())

    def next_slot(self, name: str) -> int:
        """Return a job's next slot by the store's estimated time, in ms since 1970 UTC.

        Raises:
            UnknownJob: no job of this name is registered here.
        """
        job = self._registry[name]
        session = self._session
        now = session.time.now() if session else self._instance.clock.time() * 1000
        return job.schedule.next_after(int(now))

    def running(self) -> tuple[RunRecord, ...]:
        """Return the attempts in progress on this instance, each as it is now."""
        return tuple(run.snapshot() for run in self._instance.runs())

    # --- jobs -----------------------------------------------------------------------

    @spared
    def add(self, job: Job) -> None:
        """Register a job; on a running scheduler it is also recovered and caught up.

        That is done by a task of the scheduler, soon; if the store fails it is tried
        again, and told by ``error`` events.

        Raises:
            DuplicateJob: there is one of this name.
            InvalidOption: an option can't be had together with the others, or not on
                this backend.
        """
        effective = self._registry.add(job)
        if self._session is not None:
            self._session.add(effective)

    @spared
    def remove(self, name: str) -> bool:
        """Stop scheduling a job on this instance; tell whether there was one.

        It affects nobody else: other instances go on with the job, its records stay,
        and a handler that is at work here is left to end.
        """
        known = self._registry.remove(name)
        if known and self._session is not None:
            self._session.remove(name)
        return known

    # --- start and stop -------------------------------------------------------------

    @spared
    async def start(self) -> None:
        """Connect, recover and schedule; does nothing while running.

        While stopping it waits for that first. A caller who is cancelled only stops
        waiting: the start goes on.

        Raises:
            BackendUnavailable: the store can't be reached; the scheduler is idle.
            BackendTooOld: the server lacks what is needed; the scheduler is idle.
            SchedulerNotRunning: it was stopped while starting, or its block was left.
        """
        while self.state is State.STOPPING and self._life is not None:
            await self._life.ended.wait()
        if self._instance.left:
            raise SchedulerNotRunning("the block of this scheduler has been left")
        if self._life is None or self._life.ended.is_set():
            self._life = Life(self._instance, self._backend, self._registry.jobs)
            self._instance.nursery.start_soon(self._life.run)
        life = self._life
        await anyio.lowlevel.checkpoint()
        await life.started.wait()
        if life.error is not None:
            raise life.error

    @spared
    async def stop(self, timeout: Duration | None = None) -> None:  # noqa: ASYNC109
        """Stop scheduling, cancel the handlers, hand their runs over, close the store.

        Takes at most ``timeout`` seconds (``stop_timeout`` by default) and 5 s for
        closing. A handler that goes on after that is left to its lease. Called while
        starting it cancels the start. A caller who is cancelled only stops waiting.
        """
        limit = self._instance.stop_timeout
        if timeout is not None:
            limit = to_seconds(timeout, name="timeout", zero=True)
        life = self._life
        if life is not None:
            life.stop(limit)
            await life.ended.wait()
        await anyio.lowlevel.checkpoint()

    async def serve(self, signals: Iterable[signal.Signals] = SIGNALS) -> None:
        """Wait for a signal and stop gracefully; a second one cancels at once.

        Returns once the scheduler is stopped, also by somebody else. Cancelled, it
        returns without stopping; leaving the block does that.

        Raises:
            SchedulerNotRunning: it isn't started.
            RuntimeError: signals can only be received in the main thread; elsewhere
                pass ``signals=()``.
        """
        life = self._life
        if life is None or life.ended.is_set():
            raise SchedulerNotRunning("start the scheduler before serve()")
        await serving.serve(life, tuple(signals), self._instance.stop_timeout)

    # --- runs and records -----------------------------------------------------------

    @spared
    async def run_now(self, name: str) -> RunRecord:
        """Run a job at once on this instance, whatever its schedule; return its record.

        Neither blocked by other runs nor blocking them, not deduplicated, not taken up
        by a backup. Cancelling the caller cancels the run.

        Raises:
            SchedulerNotRunning: it isn't started.
            UnknownJob: no job of this name is registered here.
        """
        session = self._live_session()
        if session is None:
            raise SchedulerNotRunning("run_now needs a started scheduler")
        job = self._registry[name]
        await anyio.lowlevel.checkpoint_if_cancelled()
        run = ManualRun(session, job)
        session.adopt(run)
        session.begin(run)
        return await run.result()

    @spared
    async def history(self, name: str, limit: int = 50) -> list[RunRecord]:
        """Return the newest records of a job, newest first, running ones included.

        The name need not be registered anywhere any more. While the scheduler isn't
        running, the store is opened for this call.

        Raises:
            BackendUnavailable: the store can't be read.
            InvalidOption: no job can have this name, or the limit isn't a count.
        """
        name = check_job_name(name)
        limit = to_count(limit, name="limit")
        session = self._live_session()
        try:
            if session is not None:
                return await session.calls.history(name, limit)
            return await self._history_while_idle(name, limit)
        except (BackendUnavailable, BackendTooOld):
            raise
        except Exception as error:
            raise BackendUnavailable(f"history can't be read: {error}") from error

    async def last_run(self, name: str) -> RunRecord | None:
        """Return the newest record of a job, or ``None``; otherwise as ``history``."""
        records = await self.history(name, limit=1)
        return records[0] if records else None

    async def _history_while_idle(self, name: str, limit: int) -> list[RunRecord]:
        opening = connected(self._backend, close_within=CLOSE_WITHIN)
        async with opening as (bridge, store):
            return await bridge.call(
                store.history, name, limit, bound=MAX_CALL, keep=False
            )

    # --- inside ---------------------------------------------------------------------

    @property
    def _session(self) -> Session | None:
        life = self._life
        return None if life is None or life.ended.is_set() else life.session

    def _live_session(self) -> Session | None:
        return self._session if self.state is State.RUNNING else None
