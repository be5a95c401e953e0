"""What was left behind, and what is taken on: at start, for new jobs, once per lease.

Decides which unfinished runs get a backup here, and whether the latest slot is caught
up. Must not know how a claim or a check is carried out.

For each job the newer slot is asked for first: granting it replaces an older run whose
runner is gone. The older one is watched from the beginning, but the job's turn to claim
is with the catch-up until it has its answer, so it is not asked for before (T7). The
sweep reads the same once per lease and finds what nobody watches, however it came to
that: by a claim that was late, by a runner that lost its run or gave it up, or because
everybody restarted when no slot was due (T6).
"""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import anyio

from anarchon.bridge.interrupts import spared
from anarchon.engine.job_state import JobState
from anarchon.engine.leased_run import LeasedRun
from anarchon.model import Reason
from anarchon.protocol import UnfinishedRun
from anarchon.rules.jitter import jitter_for
from anarchon.rules.lease import MAX_CALL, call_bound
from anarchon.rules.schedule import first_after, last_at

if TYPE_CHECKING:
    from anarchon.engine.session import Session


class Left(NamedTuple):
    """Unfinished runs, and when they were asked for, monotonic."""

    runs: tuple[UnfinishedRun, ...]
    sent: float


class Recovery:
    """Takes jobs on, and finds runs that need a backup."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._swept = session.instance.clock.monotonic()
        self._nap: anyio.CancelScope | None = None

    async def read(self, states: Sequence[JobState]) -> Left | None:
        """Prepare jobs and read what was left of them; ``None`` if that failed.

        Two calls for all of them. Cancelled, nothing has begun.
        """
        session = self._session
        names = [state.job.name for state in states]
        if not await session.calls.prepare(names):
            return None
        if not session.leases:
            return Left((), 0.0)
        sent = session.instance.clock.monotonic()
        unfinished = await session.calls.unfinished(names, MAX_CALL)
        return None if unfinished is None else Left(unfinished.runs, sent)

    def begin(self, states: Sequence[JobState], left: Left) -> None:
        """Arm the timers of jobs that were read, catch up, and watch what was left."""
        states = [state for state in states if not state.removed]
        for state in states:
            state.taken_on = True
        self._session.timers.arm_all(states)
        if self._session.leases:
            for state in states:
                self._catch_up(state)
            self._watch(left)
        if self._nap is not None:
            # with a shorter lease than the others had the next sweep is due sooner
            self._nap.cancel()

    @spared
    async def sweep(self) -> None:
        """Look for runs that nobody here watches, once per lease, until cancelled."""
        session, clock = self._session, self._session.instance.clock
        while True:
            await self._until_due()
            states = tuple(session.states.values())
            if not states:
                continue
            names = [state.job.name for state in states]
            sent, bound = clock.monotonic(), call_bound(self._shortest_lease())
            unfinished = await session.calls.unfinished(names, bound)
            if unfinished is not None:
                self._watch(Left(unfinished.runs, sent))

    async def _until_due(self) -> None:  # noqa: ASYNC910  it may be due already
        clock = self._session.instance.clock
        while (wait := self._swept + self._shortest_lease() - clock.monotonic()) > 0:
            with anyio.CancelScope() as self._nap:
                await clock.sleep(wait)
            self._nap = None
        self._swept = clock.monotonic()

    def _shortest_lease(self) -> float:
        leases = (s.job.options.lease for s in self._session.states.values())
        return min(leases, default=30.0)

    def _watch(self, left: Left) -> None:
        for run in left.runs:
            state = self._session.states.get(run.job)
            if state is None or not state.taken_on:
                continue
            watch = self._session.watch_of(state)
            if run.slot not in watch:
                watch.see(run.slot, run.attempt, left.sent + run.left)

    def _catch_up(self, state: JobState) -> None:
        session = self._session
        try:
            missed = self._missed(state)
        except Exception as error:  # noqa: BLE001  the schedule may be a user's
            session.reports.broken(state, error)
            return
        if missed is not None:
            # in one go, before any timer of this job can fire: so it goes first
            state.turn.acquire_nowait()
            session.spawn(session.claiming, self._claim_latest, state, *missed)

    def _missed(self, state: JobState) -> tuple[int, int] | None:
        """Return the slot to be caught up and the delay before that, in ms."""
        options, schedule = state.job.options, state.job.schedule
        if not options.catch_up:
            return None
        now = self._session.time.now()
        slot = last_at(schedule, int(now))
        if slot is None or now - slot >= options.catch_up * 1000:
            return None
        following = first_after(schedule, slot)
        return slot, jitter_for(options.jitter, slot, following, random.random())

    async def _claim_latest(
        self, state: JobState, slot: int, delay: int
    ) -> LeasedRun | None:
        session = self._session
        try:
            await session.instance.clock.sleep(delay / 1000)
            return await session.lease_runner.claim(state, slot, Reason.CATCH_UP)
        finally:
            state.turn.release()
