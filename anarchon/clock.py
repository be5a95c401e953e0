"""What a scheduler reads its own time from.

Decides nothing: it names the three things that a clock does. The store's clock is no
business of this file.
"""

import time
from typing import Protocol

import anyio


class Clock(Protocol):
    """An instance's own time. Inject another one to test against a wrong clock."""

    def time(self) -> float:
        """Wall time: seconds since 1970 UTC. It may be wrong, and may step."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow; the zero is arbitrary."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds of monotonic time; a cancelled wait has no effect."""
        ...


def read_both(clock: Clock) -> tuple[float, float]:
    """Return monotonic and wall time, in seconds, as of one instant."""
    return clock.monotonic(), clock.time()


class SystemClock:
    """The clocks of the machine."""

    def time(self) -> float:
        """Return the machine's wall time, in seconds since 1970 UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Return the machine's monotonic time, in seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep in the running loop, Trio or asyncio."""
        await anyio.sleep(seconds)

    def __repr__(self) -> str:
        return "SystemClock()"
