"""The time of a store: what tells it in tests, and the units of it.

Decides how instants and lengths become integers. Reads no clock itself.
"""

from datetime import UTC, datetime
from typing import Protocol


class StoreClock(Protocol):
    """What a store reads its time from, if not from the clock that it has itself.

    It may be read in another thread than the host's. With a server's store it is for
    tests alone: instances that bring clocks of their own have no common one.
    """

    def time(self) -> float:
        """Seconds since 1970 UTC."""
        ...


def milliseconds(seconds: float) -> int:
    """Return seconds as the nearest whole millisecond."""
    return round(seconds * 1000)


def instant(ms: int) -> datetime:
    """Return milliseconds since 1970 UTC as an aware ``datetime``."""
    return datetime.fromtimestamp(ms / 1000, UTC)
