"""When the next slot of each job is due.

Decides when a slot is handed on, and which slot comes next. Must not know what is done
with it.

One task and one heap serve all jobs. Three things make a timer trustworthy:

- It never sleeps over a minute at a stretch and looks at the clock again after each, so
  that a clock that was set is noticed soon.
- A slot is only handed on once the clock has reached it. A timer that woke a little
  early sleeps again, and since the next slot is looked for after both the clock and the
  slot itself, no slot is handed on twice.
- The next slot is armed before the current one is handed on, so that nothing the
  current one does can delay it. Slots that passed while the host was frozen or blocked
  are not made up: at most the armed one is handed on.

A clock that goes back by more than the longest call puts the armed slots far into the
future; all jobs are armed anew then, and the store refuses what was granted before.
"""

import heapq
import itertools
import math
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.lowlevel

from anarchon.bridge.interrupts import spared
from anarchon.rules.jitter import jitter_for
from anarchon.rules.lease import MAX_CALL
from anarchon.rules.schedule import first_after

if TYPE_CHECKING:
    from anarchon.clock import Clock
    from anarchon.engine.job_state import JobState
    from anarchon.engine.store_time import StoreTime

MAX_SLEEP = 60.0
# an estimate that gets better goes back by no more than this, in ms
STEP_BACK = MAX_CALL * 1_000
# So many slots are handed on before other tasks get a turn. Few: what one began is
# mostly over then before the next begins, and with little alive at a time the garbage
# collector has little to look at (10,000 slots at once: 0.1 s instead of 0.6 s).
BATCH = 4
# a schedule that raised is asked again after this long
RETRY = 60_000


class Timers:
    """The heap of armed slots; instants are the store's time in ms, as estimated."""

    def __init__(
        self,
        clock: "Clock",
        time: "StoreTime",
        *,
        fire: Callable[["JobState", int], None],
        broken: Callable[["JobState", Exception], None],
    ) -> None:
        self._clock = clock
        self._time = time
        self._fire = fire
        self._broken = broken
        self._heap: list[_Entry] = []
        self._removed = 0
        self._nap: anyio.CancelScope | None = None
        self._seen = time.now()

    def arm(self, state: "JobState", after: float | None = None) -> None:
        """Set the timer of a job: its first slot after an instant, the present one."""
        now = self._time.now() if after is None else after
        try:
            slot, due = _next(state, int(now // 1))
        except Exception as error:  # noqa: BLE001  the schedule may be a user's
            slot, due = None, now + RETRY
            self._broken(state, error)
        state.armed = slot
        entry = _Entry(due, next(_numbers), state, slot)
        heapq.heappush(self._heap, entry)
        if self._heap[0] is entry:
            self.look_again()

    def forget(self, state: "JobState") -> None:
        """Let go of a removed job, at the latest when it is one of many."""
        state.removed = True
        self._removed += 1
        if self._removed > len(self._heap) / 2:
            self._heap[:] = [entry for entry in self._heap if not entry.state.removed]
            heapq.heapify(self._heap)
            self._removed = 0

    def look_again(self) -> None:
        """Look at the clock at once: it was set, or something is due sooner."""
        if self._nap is not None:
            self._nap.cancel()

    def arm_all(self, states: Iterable["JobState"]) -> None:
        """Set the timers of many jobs."""
        now = self._time.now()
        for state in states:
            self.arm(state, now)

    @spared
    async def run(self, refresh: Callable[[], Awaitable[bool]]) -> None:
        """Hand slots on as they come, until cancelled.

        ``refresh`` asks the store for its time, and tells whether it was answered. It
        is called when the estimate is void; after silence only a minute later, since a
        silent store must not hold up the slots.
        """
        ask_at = -math.inf
        while True:
            if self._time.void and self._clock.monotonic() >= ask_at:
                answered = await refresh()
                wait = 0.0 if answered else MAX_SLEEP
                ask_at = self._clock.monotonic() + wait
                # an answer that was read late tells no time either
                continue
            now = self._time.now()
            if now < self._seen - STEP_BACK:
                self._arm_anew()
            self._seen = now
            if not self._hand_on(now):
                await self._sleep(now)
            else:
                await anyio.lowlevel.checkpoint()

    def _hand_on(self, now: float) -> bool:
        """Hand on what is due, a batch at most; tell whether there was any."""
        for done in range(BATCH):
            if not self._heap or self._heap[0].due > now:
                return done > 0
            entry = heapq.heappop(self._heap)
            state, slot = entry.state, entry.slot
            if state.removed or state.armed != slot:
                continue
            self.arm(state, now if slot is None else max(now, slot))
            if slot is not None:
                self._fire(state, slot)
        return True

    async def _sleep(self, now: float) -> None:
        wait = MAX_SLEEP
        # compared first: a user's schedule may name a slot that no float can hold
        if self._heap and self._heap[0].due < now + wait * 1000:
            wait = (self._heap[0].due - now) / 1000
        with anyio.CancelScope() as self._nap:
            await self._clock.sleep(wait)
        self._nap = None

    def _arm_anew(self) -> None:
        states = [entry.state for entry in self._heap if not entry.state.removed]
        self._heap.clear()
        self.arm_all(dict.fromkeys(states))


class _Entry(NamedTuple):
    due: float
    number: int  # so that no two entries compare their jobs
    state: "JobState"
    slot: int | None


_numbers = itertools.count()


def _next(state: "JobState", after: int) -> tuple[int, float]:
    schedule, jitter = state.job.schedule, state.job.options.jitter
    slot = first_after(schedule, after)
    if not jitter:
        return slot, slot
    following = first_after(schedule, slot)
    return slot, slot + jitter_for(jitter, slot, following, random.random())
