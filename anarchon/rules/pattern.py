"""Which wall times a cron expression matches, on a clock without transitions.

Decides that and finds the nearest one. Must not know zones or spelling. A wall time is
a whole number of seconds: what the wall clock shows, counted as if it were UTC.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from anarchon.rules.dates import Dates

_DAY = 86_400
_HOUR = 3_600


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pattern:
    """The matched dates, hours, and seconds within an hour (``ticks``), sorted.

    ``by_the_hour`` says that the hours are a wildcard or a step: the job follows real
    time, and isn't tied to certain times of the day.
    """

    dates: Dates
    hours: tuple[int, ...]
    ticks: tuple[int, ...]
    by_the_hour: bool

    def first_from(self, wall: int) -> int:
        """Return the first matching wall time at or after this one.

        Raises:
            OverflowError: it would be after the year 9999.
        """
        day, time = divmod(wall, _DAY)
        first = self.dates.first_from(day)
        if first == day:
            at = self._first_time(time)
            if at is not None:
                return day * _DAY + at
            first = self.dates.first_from(day + 1)
        return first * _DAY + self.hours[0] * _HOUR + self.ticks[0]

    def last_until(self, wall: int) -> int | None:
        """Return the last matching wall time at or before this one, if there is one."""
        day, time = divmod(wall, _DAY)
        last = self.dates.last_until(day)
        if last == day:
            at = self._last_time(time)
            if at is not None:
                return day * _DAY + at
            last = self.dates.last_until(day - 1)
        if last is None:
            return None
        return last * _DAY + self.hours[-1] * _HOUR + self.ticks[-1]

    def _first_time(self, time: int) -> int | None:
        """Return the first matching second of a day at or after this one."""
        hour, tick = divmod(time, _HOUR)
        if hour in self.hours and tick <= self.ticks[-1]:
            return hour * _HOUR + self.ticks[bisect_left(self.ticks, tick)]
        later = self.hours[bisect_right(self.hours, hour) :]
        return later[0] * _HOUR + self.ticks[0] if later else None

    def _last_time(self, time: int) -> int | None:
        """Return the last matching second of a day at or before this one."""
        hour, tick = divmod(time, _HOUR)
        if hour in self.hours and tick >= self.ticks[0]:
            return hour * _HOUR + self.ticks[bisect_right(self.ticks, tick) - 1]
        earlier = self.hours[: bisect_left(self.hours, hour)]
        return earlier[-1] * _HOUR + self.ticks[-1] if earlier else None
