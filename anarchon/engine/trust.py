"""How long a runner may believe in its own lease.

Decides that by two clocks, and counts from before the request was sent (T4): the
monotonic one, and wall time as well, since monotonic time stands still while a machine
sleeps. A wall clock that was set forward only makes the runner ask once more.
"""

from anarchon.clock import Clock, read_both
from anarchon.rules.lease import trust_end


class Trust:
    """The end of a lease, as its runner counts it."""

    __slots__ = ("_clock", "_monotonic", "_wall")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._monotonic = self._wall = float("-inf")

    def sent(self) -> tuple[float, float]:
        """Return both clocks, to be read before a request is sent."""
        return read_both(self._clock)

    def extend(self, sent: tuple[float, float], left: float) -> None:
        """Believe for ``left`` seconds, counted from when the request was sent."""
        monotonic, wall = sent
        self._monotonic = trust_end(monotonic, left)
        self._wall = trust_end(wall, left)

    @property
    def left(self) -> float:
        """Seconds until the belief ends; zero or less when it has."""
        monotonic, wall = self.sent()
        return min(self._monotonic - monotonic, self._wall - wall)
