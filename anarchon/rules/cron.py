"""Cron: a slot when the wall clock of a zone shows a matching time.

Decides what a spring gap and an autumn fold do to a job. Must not know what time it is.

A job with fixed hours takes each matching wall time once: the first time that it comes,
or at the end of the gap in which it lies. A job by the hour takes it as often as it
comes: not in a gap, twice in a fold.
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
    """A pattern in a zone; slots are seconds since 1970 UTC."""

    __slots__ = ("_pattern", "_zone")

    def __init__(self, pattern: Pattern, zone: Zone) -> None:
        self._pattern = pattern
        self._zone = zone

    def next_after(self, second: int) -> int:
        first_time, last_time = self._zone.walls_after(second)
        if not self._pattern.by_the_hour:
            return self._once(self._pattern.first_from(first_time))
        return min(
            instant
            for wall in {first_time, last_time}
            for instant in self._instants_from(wall)
            if instant > second
        )

    def latest_at(self, second: int) -> int | None:
        first_time, last_time = self._zone.walls_after(second)
        if not self._pattern.by_the_hour:
            wall = self._pattern.last_until(first_time - 1)
            return None if wall is None else self._once(wall)
        return max(
            (
                instant
                for wall in {first_time, last_time}
                for instant in self._instants_until(wall - 1)
                if instant <= second
            ),
            default=None,
        )

    def _once(self, wall: int) -> int:
        instants = self._zone.instants(wall)
        return instants[0] if instants else self._zone.gap(wall).instant

    def _instants_from(self, wall: int) -> tuple[int, ...]:
        """Return the instants of the first matching wall time that does come."""
        wall = self._pattern.first_from(wall)
        while not (instants := self._zone.instants(wall)):
            wall = self._pattern.first_from(self._zone.gap(wall).end)
        return instants

    def _instants_until(self, wall: int) -> tuple[int, ...]:
        """Return the instants of the last matching wall time that did come."""
        last = self._pattern.last_until(wall)
        while last is not None:
            if instants := self._zone.instants(last):
                return instants
            last = self._pattern.last_until(self._zone.gap(last).start - 1)
        return ()


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
