"""Cron by brute force: an own reading of expressions, and a walk along real time.

Slow, simple, and independent of what it judges.
"""

import re
import zoneinfo
from collections.abc import Sequence
from datetime import datetime, timedelta

NAMES = {
    name: str(number)
    for names, first in (
        ("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", 1),
        ("SUN MON TUE WED THU FRI SAT", 0),
    )
    for number, name in enumerate(names.split(), first)
}

Step = tuple[int, datetime]


class Oracle:
    """What an expression matches, told from its text."""

    def __init__(self, text: str) -> None:
        plain = re.sub("[A-Z]{3}", lambda name: NAMES[name[0]], text.upper())
        *second, minute, hour, day, month, weekday = plain.split()
        self.by_the_hour = re.fullmatch(r"\*(/\d+)?", hour) is not None
        self._seconds = numbers(second[0] if second else "0", 0, 59)
        self._minutes = numbers(minute, 0, 59)
        self._hours = numbers(hour, 0, 23)
        self._months = numbers(month, 1, 12)
        self._day, self._weekday = day, weekday

    def matches(self, wall: datetime) -> bool:
        """Whether the wall clock's time is a matching one."""
        return (
            wall.second in self._seconds
            and wall.minute in self._minutes
            and wall.hour in self._hours
            and wall.month in self._months
            and self.matches_date(wall)
        )

    def matches_date(self, wall: datetime) -> bool:
        """Whether the day of month or of week matches, leaving the month aside."""
        given = [
            any(match(wall, part) for part in field.split(","))
            for field, match in ((self._day, _on_day), (self._weekday, _on_weekday))
            if field not in ("*", "?")
        ]
        return any(given) or not given

    def slots(self, walk: Sequence[Step]) -> list[int]:
        """Return the slots along a walk, its first step left out.

        By the hour: whenever a matching time is shown. Otherwise: whenever the clock
        shows or jumps over a matching time for the first time.
        """
        if self.by_the_hour:
            return [instant for instant, wall in walk[1:] if self.matches(wall)]
        (start, highest), slots = walk[0], []
        step = timedelta(seconds=walk[1][0] - start)
        for instant, wall in walk[1:]:
            if any(map(self.matches, _between(highest, wall, step))):
                slots.append(instant)
            highest = max(highest, wall)
        return slots


def walk(zone: str, start: int, stop: int, step: int) -> list[Step]:
    """Return each step's instant (s since 1970) and what the zone's clock shows."""
    place = zoneinfo.ZoneInfo(zone)
    return [
        (instant, datetime.fromtimestamp(instant, place).replace(tzinfo=None))
        for instant in range(start, stop, step)
    ]


def numbers(text: str, low: int, high: int) -> set[int]:
    """Return the numbers that a list of ranges and steps stands for."""
    found: set[int] = set()
    for part in text.split(","):
        ends, _, step = part.partition("/")
        first, _, last = ends.partition("-")
        if first == "*":
            first, last = str(low), str(high)
        elif not last:
            last = str(high) if step else first
        found.update(_count(int(first), int(last), low, high)[:: int(step or 1)])
    return found


def _count(first: int, last: int, low: int, high: int) -> list[int]:
    if first <= last:
        return list(range(first, last + 1))
    return [*range(first, high + 1), *range(low, last + 1)]


def _between(highest: datetime, wall: datetime, step: timedelta) -> list[datetime]:
    return [wall - step * i for i in range((wall - highest) // step)]


def _on_day(wall: datetime, part: str) -> bool:
    last = (wall + timedelta(days=1)).day == 1
    if part == "L":
        return last
    return wall.day in numbers(part.replace("L", "31"), 1, 31)


def _on_weekday(wall: datetime, part: str) -> bool:
    weekday = wall.isoweekday()
    if part.startswith("L"):
        last = (wall + timedelta(days=7)).month != wall.month
        return last and weekday % 7 == int(part[1:]) % 7
    which, _, nth = part.partition("#")
    if nth and (wall.day + 6) // 7 != int(nth):
        return False
    return bool({weekday, weekday % 7} & numbers(which, 0, 6))
