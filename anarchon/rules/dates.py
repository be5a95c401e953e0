"""Which dates a cron expression's three date fields match.

Decides that and finds the nearest one. Must not know times of day, zones or spelling.
A date is a whole number of days since 1970-01-01.
"""

from bisect import bisect_left, bisect_right
from calendar import monthrange
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date
from functools import lru_cache

EACH = 0
LAST = -1

_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_MONTH = MINYEAR * 12
_END_OF_MONTHS = (MAXYEAR + 1) * 12
# the calendar repeats after 400 years
_ALL_KINDS_OF_MONTH = range(2000 * 12, 2400 * 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """The dates that are matched.

    ``days`` and ``weekdays`` are ``None`` where the field is a wildcard; where both are
    given either matches. A day is 1 to 31 or ``LAST``. A weekday is a pair: its number,
    0 for Sunday, and which one of the month: 1 to 5, ``LAST`` or ``EACH``.
    """

    months: frozenset[int]
    days: frozenset[int] | None
    weekdays: frozenset[tuple[int, int]] | None

    def exist(self) -> bool:
        """Return whether there is any such date."""
        return any(_days_of(self, month) for month in _ALL_KINDS_OF_MONTH)

    def first_from(self, day: int) -> int:
        """Return the first date at or after this one.

        Raises:
            OverflowError: it would be after the year 9999.
        """
        start = date.fromordinal(_EPOCH + day)
        month = _month_of(start)
        days = _days_of(self, month)
        index = bisect_left(days, start.day)
        while index == len(days):
            month += 1
            if month == _END_OF_MONTHS:
                raise OverflowError("the next date is after the year 9999")
            days, index = _days_of(self, month), 0
        return _number(month, days[index])

    def last_until(self, day: int) -> int | None:
        """Return the last date at or before this one, if there is one since year 1."""
        start = date.fromordinal(_EPOCH + day)
        month = _month_of(start)
        days = _days_of(self, month)
        index = bisect_right(days, start.day)
        while index == 0:
            month -= 1
            if month < _FIRST_MONTH:
                return None
            days = _days_of(self, month)
            index = len(days)
        return _number(month, days[index - 1])


def _month_of(day: date) -> int:
    return day.year * 12 + day.month - 1


def _number(month: int, day: int) -> int:
    return date(month // 12, month % 12 + 1, day).toordinal() - _EPOCH


@lru_cache(maxsize=1024)
def _days_of(dates: Dates, month: int) -> tuple[int, ...]:
    """Return the matching days of a month, which is counted from the year 0."""
    year, month_of_year = month // 12, month % 12 + 1
    if month_of_year not in dates.months:
        return ()
    monday_based, length = monthrange(year, month_of_year)
    # the weekday of the day before the 1st, 0 for Sunday
    shift = monday_based
    return tuple(
        day
        for day in range(1, length + 1)
        if _matches(dates, day, (shift + day) % 7, length)
    )


def _matches(dates: Dates, day: int, weekday: int, length: int) -> bool:
    if dates.days is None and dates.weekdays is None:
        return True
    return _matches_day(dates.days, day, length) or _matches_weekday(
        dates.weekdays, day, weekday, length
    )


def _matches_day(days: frozenset[int] | None, day: int, length: int) -> bool:
    return days is not None and (day in days or (day == length and LAST in days))


def _matches_weekday(
    weekdays: frozenset[tuple[int, int]] | None, day: int, weekday: int, length: int
) -> bool:
    if weekdays is None:
        return False
    kinds = [EACH, (day - 1) // 7 + 1]
    if day + 7 > length:
        kinds.append(LAST)
    return any((weekday, kind) in weekdays for kind in kinds)
