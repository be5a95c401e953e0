"""Cron: a slot when the wall clock of a zone shows a matching time.

Decides what a spring gap and an autumn fold do to a job. Must not know what time it is.

A job with fixed hours reads each wall time by its first instant: a time in a gap is the
gap's end, a time that comes twice is its first coming. A job by the hour follows real
time: it reads each wall time by all of its instants, none, one or two.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from anarchon.errors import InvalidSchedule
from anarchon.rules.expression import parse
from anarchon.rules.pattern import Pattern
from anarchon.rules.zone import Zone, find_zone


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Cron:
    """A slot at each matching local time of ``timezone``, an IANA name.

    ``expression`` has five fields (minute, hour, day of month, month, day of week), or
    six with seconds first, or is an alias such as ``@daily``. Where day of month and
    day of week are both given, either matches.

    Raises:
        InvalidSchedule: the expression can't be read or never matches, or there is no
            such zone.
    """

    expression: str
    timezone: str
    _times: "_Times" = field(compare=False)

    def __init__(self, expression: str, *, timezone: str = "UTC") -> None:
        object.__setattr__(self, "expression", _text("cron expression", expression))
        object.__setattr__(self, "timezone", _text("time zone's name", timezone))
        object.__setattr__(self, "_times", _times(expression, timezone))

    def next_after(self, ms: int) -> int:
        """Return the first slot strictly after this instant, in ms since 1970 UTC."""
        return _next_after(self._times, ms // 1000) * 1000

    def latest_at(self, ms: int) -> int | None:
        """Return the last slot at or before this instant, in ms since 1970 UTC."""
        latest = _latest_at(self._times, ms // 1000)
        return None if latest is None else latest * 1000

    def __repr__(self) -> str:
        return f"Cron({self.expression!r}, timezone={self.timezone!r})"


def _text(title: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidSchedule(f"a {title} must be a str, not {value!r}")
    return value


class _Times:
    """A pattern in a zone; instants are seconds since 1970 UTC."""

    __slots__ = ("_pattern", "_zone")

    def __init__(self, pattern: Pattern, zone: Zone) -> None:
        self._pattern = pattern
        self._zone = zone

    def next_after(self, second: int) -> int:
        if self._pattern.by_the_hour:
            return min(self._next_real(second, fold) for fold in (0, 1))
        wall = self._pattern.first_from(self._zone.wall_after(second, 0))
        return self._zone.instant(wall, 0)

    def latest_at(self, second: int) -> int | None:
        if self._pattern.by_the_hour:
            found = [self._latest_real(second, fold) for fold in (0, 1)]
            return max((at for at in found if at is not None), default=None)
        wall = self._pattern.last_until(self._zone.wall_after(second, 0) - 1)
        return None if wall is None else self._zone.instant(wall, 0)

    def _next_real(self, second: int, fold: int) -> int:
        wall = self._pattern.first_from(self._zone.wall_after(second, fold))
        while gap := self._zone.gap(wall):
            wall = self._pattern.first_from(gap[1])
        return self._zone.instant(wall, fold)

    def _latest_real(self, second: int, fold: int) -> int | None:
        wall = self._pattern.last_until(self._zone.wall_after(second, fold) - 1)
        while wall is not None and (gap := self._zone.gap(wall)):
            wall = self._pattern.last_until(gap[0] - 1)
        return None if wall is None else self._zone.instant(wall, fold)


# jobs share expressions, and all that are due at one moment ask the same question
@lru_cache(maxsize=1024)
def _times(expression: str, timezone: str) -> _Times:
    return _Times(parse(expression), find_zone(timezone))


@lru_cache(maxsize=4096)
def _next_after(times: _Times, second: int) -> int:
    return times.next_after(second)


@lru_cache(maxsize=1024)
def _latest_at(times: _Times, second: int) -> int | None:
    return times.latest_at(second)
