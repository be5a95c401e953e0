"""Clocks on the running loop's virtual time: wrong, drifting, stepped and frozen ones.

Decides what a clock shows. Must not know who reads it.
"""

import anyio

from anarchon.clock import Clock
from anarchon.testing.gate import Gate

EPOCH = 1_767_225_600.0  # 2026-01-01 00:00:00 UTC

SHORTEST_SLEEP = 1e-6


class VirtualClock:
    """The clock of one simulated machine; it serves a store as well.

    ``epoch`` is the wall time at the loop's zero, in seconds since 1970 UTC. ``offset``
    is by how many seconds the clock is ahead of the truth, and ``rate`` how many of
    its seconds pass in a true one; set it before time begins.
    """

    def __init__(
        self, *, epoch: float = EPOCH, offset: float = 0.0, rate: float = 1.0
    ) -> None:
        self.rate = rate
        self._wall_zero = epoch + offset
        self._monotonic_zero = 0.0

    def time(self) -> float:
        """Return the wall time that this clock shows, in seconds since 1970 UTC."""
        return self._wall_zero + self.rate * anyio.current_time()

    def monotonic(self) -> float:
        """Return this machine's monotonic time, in seconds; steps don't touch it."""
        return self._monotonic_zero + self.rate * anyio.current_time()

    async def sleep(self, seconds: float) -> None:
        """Sleep so many of this clock's seconds; a cancelled sleep has no effect."""
        if seconds > 0:
            # rounding must not let virtual time stand still for ever
            seconds = max(seconds, SHORTEST_SLEEP)
        await anyio.sleep(seconds / self.rate)

    def step(self, seconds: float) -> None:
        """Set the wall time forward, or back when ``seconds`` is negative."""
        self._wall_zero += seconds

    def suspended(self, seconds: float) -> None:
        """Let monotonic time fall behind, as while the machine was suspended."""
        self._monotonic_zero -= seconds


class GatedClock:
    """An instance's view of a clock: while its gate is frozen, no sleep returns."""

    def __init__(self, clock: Clock, gate: Gate) -> None:
        self._clock = clock
        self._gate = gate

    def time(self) -> float:
        """Return the wall time of the clock, in seconds since 1970 UTC."""
        return self._clock.time()

    def monotonic(self) -> float:
        """Return the monotonic time of the clock, in seconds."""
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep by the clock, and until the gate is open; a cancellation waits too."""
        try:
            await self._clock.sleep(seconds)
        finally:
            await self._gate.hold()  # noqa: ASYNC102  it shields itself, bounded
