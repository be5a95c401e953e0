"""A time zone's wall clock as plain numbers.

Decides which instants a wall time stands for, and finds the transition that makes one
doubtful, without a table of them. Must not know any schedule.

An instant is a whole number of seconds since 1970 UTC. A wall time is what the wall
clock shows then, counted as if it were UTC. In a spring gap a wall time stands for no
instant, in an autumn fold for two.
"""

from bisect import bisect_left
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from anarchon.errors import InvalidSchedule

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Gap(NamedTuple):
    """Wall times that never came: the first of them, the first after, and when."""

    start: int
    end: int
    instant: int


class Zone:
    """The offsets of one zone; every answer comes from the zone's own rules."""

    __slots__ = ("_wall_epoch", "_zone")

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone
        self._wall_epoch = _EPOCH.replace(tzinfo=zone)

    def instants(self, wall: int) -> tuple[int, ...]:
        """Return the instants of a wall time, in order: none, one or two."""
        before, after = self._offsets(wall)
        if before == after:
            return (wall - before,)
        return (wall - before, wall - after) if before > after else ()

    def gap(self, wall: int) -> Gap:
        """Return the gap in which this wall time lies."""
        before, after = self._offsets(wall)
        instant = self._transition(wall, before, after)
        return Gap(instant + before, instant + after, instant)

    def walls_after(self, second: int) -> tuple[int, int]:
        """Return the first wall times that come later than an instant.

        The first for the first time, the second for the last time: they differ only in
        a fold.
        """
        wall = second + self._offset(second)
        before, after = self._offsets(wall)
        if before == after:
            return wall + 1, wall + 1
        instant = self._transition(wall, before, after)
        if second < instant:
            return wall + 1, instant + after
        return instant + before, wall + 1

    def _offset(self, second: int) -> int:
        local = (_EPOCH + timedelta(seconds=second)).astimezone(self._zone)
        return _seconds(local.utcoffset())

    def _offsets(self, wall: int) -> tuple[int, int]:
        """Return the offsets on both sides of the transition near a wall time.

        They differ only for a doubtful one: the second is larger in a gap and smaller
        in a fold.
        """
        local = self._wall_epoch + timedelta(seconds=wall)
        return _seconds(local.utcoffset()), _seconds(local.replace(fold=1).utcoffset())

    def _transition(self, wall: int, before: int, after: int) -> int:
        """Return the first instant with the new offset."""
        low, high = sorted((wall - before, wall - after))
        between = range(low, high)
        return low + bisect_left(
            between, x=True, key=lambda second: self._offset(second) != before
        )


def _seconds(offset: timedelta | None) -> int:
    return offset.days * 86_400 + offset.seconds if offset else 0


@lru_cache(maxsize=1024)
def find_zone(name: str) -> Zone:
    """Return the zone of an IANA name.

    Raises:
        InvalidSchedule: there is none, or it is another one on each machine.
    """
    # costs more to import than this file, and only cron jobs need it
    import zoneinfo

    if name == "localtime":
        raise InvalidSchedule("time zone 'localtime' differs between machines; name it")
    try:
        return Zone(zoneinfo.ZoneInfo(name))
    except (KeyError, OSError, ValueError):
        raise InvalidSchedule(
            f"unknown time zone {name!r}; a zone is an IANA name such as "
            f"'Europe/Athens' (where the system has none, install tzdata)"
        ) from None
