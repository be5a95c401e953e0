"""The server's clock, which no reply to a claim tells.

Decides when the server is asked for its time, and what is thought of it in between.

The estimate is a distance between the server's clock and this machine's monotonic one.
It is measured anew for each connection, after half a minute, and when wall and
monotonic time have drifted apart: then this machine slept, or its clock was set. If the
server's clock is set, that is seen at the next measurement.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

FRESH = 30.0
DRIFT = 0.5
# seconds; a reading that took longer is repeated, and the quickest counts
QUICK = 0.05
TRIES = 3


class Reading(NamedTuple):
    """The server's time in milliseconds, and the monotonic times around it."""

    told: int
    sent: float
    received: float

    @property
    def trip(self) -> float:
        """How many seconds it took."""
        return self.received - self.sent

    @property
    def distance(self) -> float:
        """How many seconds the server's clock is ahead of the monotonic one."""
        return self.told / 1000 - (self.sent + self.received) / 2


class ServerTime:
    """An estimate of the server's time, in milliseconds since 1970 UTC.

    ``ask`` reads it; ``connection`` returns something that differs for each connection,
    ``None`` while there is none.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[Reading]],
        connection: Callable[[], object],
    ) -> None:
        self._ask = ask
        self._connection = connection
        self._distance = 0.0
        self._measured: tuple[object, float, float] | None = None
        self._measuring = asyncio.Lock()

    async def now(self) -> int:
        """Return the time, asking the server if the estimate isn't good any more."""
        if not self._is_good():
            async with self._measuring:
                if not self._is_good():
                    await self._measure()
        return self.estimate()  # noqa: ASYNC910  whoever needs it goes on to ask

    def estimate(self) -> int:
        """Return the time as it was last estimated, asking nobody."""
        return round((time.monotonic() + self._distance) * 1000)

    def _is_good(self) -> bool:
        if self._measured is None:
            return False
        measured_by, at, drift = self._measured
        return (
            measured_by == self._connection()
            and time.monotonic() - at < FRESH
            and abs(_drift() - drift) < DRIFT
        )

    async def _measure(self) -> None:
        best = await self._ask()
        for _ in range(TRIES - 1):
            if best.trip > QUICK:
                best = min(best, await self._ask(), key=lambda reading: reading.trip)
        self._distance = best.distance
        self._measured = (self._connection(), best.received, _drift())


def _drift() -> float:
    return time.time() - time.monotonic()
