"""How jobs that are added to a running scheduler are taken on.

Decides that all that are added in one turn of the loop are read in one call, and that a
failure is tried again without holding any other job. Must not know what taking on is.
"""

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio

from anarchon.bridge.interrupts import spared
from anarchon.engine.job_state import JobState
from anarchon.rules.lease import backoff

if TYPE_CHECKING:
    from anarchon.clock import Clock
    from anarchon.engine.recovery import Recovery


class Intake:
    """The added jobs that are not prepared and recovered yet."""

    def __init__(self, recovery: "Recovery", clock: "Clock") -> None:
        self._recovery = recovery
        self._clock = clock
        self._waiting: list[JobState] = []
        self._news = anyio.Event()

    def add(self, state: JobState) -> None:
        """Take a job on soon."""
        self._waiting.append(state)
        self._news.set()

    @spared
    async def run(self) -> None:
        """Take on what is added, until cancelled."""
        failures = 0
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            added, self._waiting = self._waiting, []
            # after a failure one by one: a job that can't be prepared holds no other
            batches = [[state] for state in added] if failures else [added]
            failed: list[JobState] = []
            for batch in batches:
                failed += await self._take_on([s for s in batch if not s.removed])
            failures = failures + 1 if failed else 0
            if failed:
                self._waiting += failed
                self._news.set()
                await self._clock.sleep(backoff(failures, random.random()))

    async def _take_on(self, states: Sequence[JobState]) -> Sequence[JobState]:
        """Take jobs on; return those for which that failed."""
        left = await self._recovery.read(states) if states else None
        if left is None:
            return states  # noqa: ASYNC910  reading has waited
        self._recovery.begin(states, left)
        return ()  # noqa: ASYNC910  nothing to read
