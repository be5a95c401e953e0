"""The grid: a slot every so many milliseconds, counted from 1970-01-01 UTC.

Decides the grid's slots. Must not know what time it is.
"""

from dataclasses import dataclass

from anarchon.errors import InvalidSchedule
from anarchon.rules.durations import Duration, to_seconds


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Every:
    """A slot each ``period``, on a grid that starts at 1970-01-01 UTC plus ``offset``.

    Both are durations in whole milliseconds; the period is at least one. An offset is
    counted modulo the period, so schedules with the same slots are equal.

    Raises:
        InvalidSchedule: the period or the offset isn't such a duration.
    """

    period_ms: int
    offset_ms: int

    def __init__(self, period: Duration, *, offset: Duration = 0) -> None:
        period_ms = _milliseconds(period, name="period", zero=False)
        offset_ms = _milliseconds(offset, name="offset", zero=True)
        object.__setattr__(self, "period_ms", period_ms)
        object.__setattr__(self, "offset_ms", offset_ms % period_ms)

    def next_after(self, ms: int) -> int:
        """Return the first slot strictly after this instant, in ms since 1970 UTC."""
        return self.latest_at(ms) + self.period_ms

    def latest_at(self, ms: int) -> int:
        """Return the last slot at or before this instant, in ms since 1970 UTC."""
        return ms - (ms - self.offset_ms) % self.period_ms

    def __repr__(self) -> str:
        offset = f", offset={self.offset_ms / 1000!r}" if self.offset_ms else ""
        return f"Every({self.period_ms / 1000!r}{offset})"


def _milliseconds(value: Duration, *, name: str, zero: bool) -> int:
    seconds = to_seconds(value, name=name, zero=zero, error=InvalidSchedule)
    whole, rest = divmod(round(seconds * 1_000_000), 1000)
    if rest:
        raise InvalidSchedule(f"{name} must be whole milliseconds, not {value!r}")
    return whole
