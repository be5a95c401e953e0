"""An instance's estimate of the store's clock.

Decides what time it is for slots. Must not know who asks the store, nor why.

The estimate is a distance between the store's clock and this machine's monotonic one,
so that a step of the wall clock does not move it. Each reply gives one sample, right to
half its round trip; the one with the lowest round trip of the last minute counts. A
reply that was read later than any call is waited for lay about while this host stood
still; it gives none. A sample that contradicts the one that counts (their error bars
don't touch) means that the store's clock was stepped, and ends the older ones. Whoever
sleeps until an instant is told when the estimate has moved.

Monotonic time stands still while a machine sleeps: once wall and monotonic time have
drifted apart by over a second since the last reply, one of them lies, nobody knows
which, and the estimate is void until the store is asked again. No reply to what was
asked before a step was noticed counts: it may have lain about, or tell the old time. So
the clocks are looked at before each request, and the first one after a step counts.
"""

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from anarchon.clock import Clock, read_both
from anarchon.rules.lease import MAX_CALL

WINDOW = 60.0
SKEW = 1.0
# what a sample may be off beside its round trip: the store's milliseconds, and drift
SLACK = 0.05


class _Sample(NamedTuple):
    received: float
    trip: float
    distance: float


class StoreTime:
    """The store's time as this instance knows it, in milliseconds since 1970 UTC.

    ``stepped`` is when the clocks were last seen to have been set, monotonic.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        on_skew: Callable[[float], None],
        on_move: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._on_skew = on_skew
        self._on_move = on_move
        self.stepped: float = -math.inf
        self._samples: deque[_Sample] = deque()
        monotonic, wall = read_both(clock)
        self._drift = wall - monotonic
        self._told = True
        self._skewed = False

    @property
    def void(self) -> bool:
        """Whether only a reply of the store can tell what time it is."""
        return self._told and (
            not self._samples or self._drifted(*read_both(self._clock))
        )

    def now(self) -> float:
        """Return the store's time; the wall clock's where there is no estimate."""
        return self._at(*read_both(self._clock))

    def sent(self) -> float:
        """Return when a request that leaves now was sent, monotonic."""
        monotonic, _ = self._read()
        return monotonic

    def observe(self, sent: float, now: int | None) -> None:
        """Take a reply's reading ``now``; its request left at ``sent``."""
        if now is None:
            self._told = False
            return
        received, wall = self._read()
        if sent >= self.stepped and (trip := received - sent) <= MAX_CALL:
            self._take(_Sample(received, trip, now / 1000 - (sent + trip / 2)), wall)

    def _at(self, monotonic: float, wall: float) -> float:
        if not self._samples or self._drifted(monotonic, wall):
            return wall * 1000
        return (self._samples[0].distance + monotonic) * 1000

    def _read(self) -> tuple[float, float]:
        """Return both clocks; if one of them was set, what was known is forgotten."""
        monotonic, wall = read_both(self._clock)
        if self._drifted(monotonic, wall):
            self._samples.clear()
            self.stepped = monotonic
            self._drift = wall - monotonic
            self._on_move()
        return monotonic, wall

    def _take(self, sample: _Sample, wall: float) -> None:
        before = self._at(sample.received, wall)
        if self._contradicts(sample):
            self._samples.clear()
            self.stepped = sample.received
        self._add(sample)
        self._drift = wall - sample.received
        if abs(self._at(sample.received, wall) - before) > SLACK * 1000:
            self._on_move()
        self._look_at_skew()

    def _add(self, sample: _Sample) -> None:
        samples = self._samples
        while samples and samples[-1].trip >= sample.trip:
            samples.pop()
        samples.append(sample)
        while samples[0].received < sample.received - WINDOW:
            samples.popleft()

    def _contradicts(self, sample: _Sample) -> bool:
        if not self._samples:
            return False
        best = self._samples[0]
        error = (best.trip + sample.trip) / 2 + SLACK
        return abs(best.distance - sample.distance) > error

    def _drifted(self, monotonic: float, wall: float) -> bool:
        return abs(wall - monotonic - self._drift) > SKEW

    def _look_at_skew(self) -> None:
        offset = self._samples[0].distance - self._drift
        if (abs(offset) > SKEW) != self._skewed:
            self._skewed = not self._skewed
            self._on_skew(offset)
