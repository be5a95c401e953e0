"""When each run's heartbeat begins.

Decides only that: at its due time a run is told to start beating, in its own scope. A
heartbeat task for every run from its first moment would cost most runs, which end
before their first beat is due, more than all else together. Must not know what a beat
is.
"""

import heapq
import itertools
from collections.abc import Callable

import anyio
import anyio.lowlevel

from anarchon.bridge.interrupts import spared
from anarchon.clock import Clock

_numbers = itertools.count()


class FirstBeat:
    """A first beat that is still to come."""

    __slots__ = ("_begin",)

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin: Callable[[], None] | None = begin

    def cancel(self) -> None:
        """Let go of the run, which is over; its entry stays until it is due."""
        self._begin = None

    def __call__(self) -> None:
        """Begin, unless cancelled."""
        if self._begin is not None:
            self._begin()


class Pulse:
    """The runs whose first beat is still to come; instants are monotonic."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, FirstBeat]] = []
        self._news = anyio.Event()
        self._nap: anyio.CancelScope | None = None

    def after(self, seconds: float, begin: Callable[[], None]) -> FirstBeat:
        """Call ``begin`` after so many seconds."""
        at, first = self._clock.monotonic() + seconds, FirstBeat(begin)
        heapq.heappush(self._heap, (at, next(_numbers), first))
        if self._heap[0][0] == at:
            self._news.set()
            if self._nap is not None:
                self._nap.cancel()
        return first

    @spared
    async def run(self) -> None:
        """Begin what is due, until cancelled."""
        while True:
            if not self._heap:
                self._news = anyio.Event()
                await self._news.wait()
                continue
            wait = self._heap[0][0] - self._clock.monotonic()
            if wait > 0:
                with anyio.CancelScope() as self._nap:
                    await self._clock.sleep(wait)
                self._nap = None
            else:
                heapq.heappop(self._heap)[2]()
                await anyio.lowlevel.checkpoint()
