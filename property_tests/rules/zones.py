"""Every zone's transitions from 1970 to 2037, found by probing ``zoneinfo`` alone."""

import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import NamedTuple

START = datetime(1970, 1, 1, tzinfo=UTC)
END = datetime(2038, 1, 1, tzinfo=UTC)

# the nearest two transitions of any zone are seven days apart
PROBE = timedelta(days=5)


class Transition(NamedTuple):
    """The instant (s since 1970) from which on a zone's offset (s) is another one."""

    zone: str
    instant: int
    before: int
    after: int

    @property
    def shift(self) -> int:
        """How far the wall clock jumps, in seconds; negative: back."""
        return self.after - self.before

    @property
    def shape(self) -> tuple[int, int, int]:
        """What makes two transitions alike: both offsets and the local time of day."""
        return self.before, self.after, (self.instant + self.before) % 86_400

    @property
    def step(self) -> int:
        """The longest step (s) that meets each full minute of the wall clock."""
        return 60 if self.before % 60 == self.after % 60 == 0 else 30


@cache
def all_transitions() -> tuple[Transition, ...]:
    """Return the transitions of all zones, those of equal zones only once."""
    different: dict[tuple[tuple[int, int, int], ...], str] = {}
    for name in sorted(zoneinfo.available_timezones() - {"localtime"}):
        different.setdefault(tuple(_transitions(zoneinfo.ZoneInfo(name))), name)
    return tuple(
        Transition(name, *transition)
        for transitions, name in different.items()
        for transition in transitions
    )


def shapes() -> list[Transition]:
    """Return one transition of each shape."""
    return list({one.shape: one for one in reversed(all_transitions())}.values())


def _transitions(zone: zoneinfo.ZoneInfo) -> Iterator[tuple[int, int, int]]:
    probed = [(instant, offset(zone, instant)) for instant in _probes()]
    for (early, before), (late, after) in pairwise(probed):
        if before != after:
            yield _bisect(zone, early, late), before, after


@cache
def _probes() -> tuple[int, ...]:
    count = (END - START) // PROBE + 1
    return tuple(i * int(PROBE.total_seconds()) for i in range(count + 1))


def _bisect(zone: zoneinfo.ZoneInfo, early: int, late: int) -> int:
    before = offset(zone, early)
    while late - early > 1:
        middle = (early + late) // 2
        if offset(zone, middle) == before:
            early = middle
        else:
            late = middle
    return late


def offset(zone: zoneinfo.ZoneInfo, instant: int) -> int:
    """Return a zone's offset (s) at an instant (s since 1970)."""
    shown = datetime.fromtimestamp(instant, zone).utcoffset()
    assert shown is not None
    return int(shown.total_seconds())
