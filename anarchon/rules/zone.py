"""A time zone's wall clock as plain numbers.

Decides which instants a wall time stands for, and finds the transitions that make one
doubtful, without a table of them. Must not know any schedule.

A wall time is a whole number of seconds: what the wall clock shows, counted as if it
were UTC. In a spring gap it stands for no instant; in an autumn fold for two, and
``fold`` (0 or 1) says which.
"""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from anarchon.errors import InvalidSchedule

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WALL_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  a wall time has no zone yet


class Zone:
    """One zone's offsets; every answer comes from the zone's own rules."""

    __slots__ = ("_zone",)

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def offset(self, second: int) -> int:
        """Return how far the wall clock is ahead of UTC at this instant, in seconds."""
        local = (_EPOCH + timedelta(seconds=second)).astimezone(self._zone)
        return _seconds(local.utcoffset())

    def offsets(self, wall: int) -> tuple[int, int]:
        """Return the offsets of a wall time before and after a transition around it.

        They differ only for a doubtful wall time: the second is larger in a gap and
        smaller in a fold.
        """
        local = (_WALL_EPOCH + timedelta(seconds=wall)).replace(tzinfo=self._zone)
        return _seconds(local.utcoffset()), _seconds(local.replace(fold=1).utcoffset())

    def instant(self, wall: int, fold: int) -> int:
        """Return the instant that a wall time stands for; in a gap, the gap's end."""
        before, after = self.offsets(wall)
        if before < after:
            return self._transition(wall, before, after)
        return wall - (after if fold else before)

    def gap(self, wall: int) -> tuple[int, int] | None:
        """Return the first wall time of the gap around this one and that after it."""
        before, after = self.offsets(wall)
        if before >= after:
            return None
        transition = self._transition(wall, before, after)
        return transition + before, transition + after

    def wall_after(self, second: int, fold: int) -> int:
        """Return the smallest wall time whose instant, read by ``fold``, is later."""
        wall = second + self.offset(second)
        before, after = self.offsets(wall)
        if before == after:
            return wall + 1
        transition = self._transition(wall, before, after)
        if fold == 0 and second >= transition:
            return transition + before
        if fold == 1 and second < transition:
            return transition + after
        return wall + 1

    def _transition(self, wall: int, before: int, after: int) -> int:
        low, high = sorted((wall - before, wall - after))
        span = range(low, high)
        return low + bisect_left(span, True, key=lambda s: self.offset(s) != before)


def _seconds(offset: timedelta | None) -> int:
    return offset.days * 86_400 + offset.seconds if offset else 0


@lru_cache(maxsize=1024)
def find_zone(name: str) -> Zone:
    """Return the zone of an IANA name.

    Raises:
        InvalidSchedule: there is none on this machine.
    """
    import zoneinfo

    try:
        return Zone(zoneinfo.ZoneInfo(name))
    except (KeyError, OSError, TypeError, ValueError):
        raise InvalidSchedule(
            f"unknown time zone {name!r}; a zone is an IANA name such as "
            f"'Europe/Athens' (where the system has none, install tzdata)"
        ) from None
