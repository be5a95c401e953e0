"""The six fields of a cron expression, and how each may be spelt.

Decides names, ranges and signs, and refuses what croniter would read differently from
what it says. Must not know what a field's values are used for.
"""

import re
from dataclasses import dataclass
from typing import NoReturn

from anarchon.errors import InvalidSchedule


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what it is called, its values, and what may be written for them.

    ``special`` is a pattern of what only this field understands.
    """

    title: str
    low: int
    high: int
    allowed: str
    names: tuple[str, ...] = ()
    special: str = "(?!)"

    def check(self, expression: str, text: str) -> None:
        """Refuse values, ranges and steps that aren't of this field.

        Raises:
            InvalidSchedule: the message names the field, the value and what is allowed.
        """
        parts = text.split(",")
        if "*" in parts and len(parts) > 1:
            self.refuse(expression, text, "where * stands alone")
        for part in parts:
            found = re.fullmatch(self._spelling(), part, re.ASCII)
            if not found:
                self.refuse(expression, part)
            if why := self._fault(*found.groups()):
                self.refuse(expression, part, why)

    def refuse(self, expression: str, value: str, why: str = "") -> NoReturn:
        """Say what is wrong with a field, and what would be right.

        Raises:
            InvalidSchedule: always.
        """
        raise InvalidSchedule(
            f"cron expression {expression!r}: {value!r} is not allowed as {self.title}"
            f"{why and ', ' + why}; allowed are {self.allowed}"
        )

    def _spelling(self) -> str:
        value = "|".join((r"\d\d?", *self.names))
        return rf"(?:\*|({value})(?:-({value}))?)(?:/(\d\d?))?|{self.special}"

    def _fault(self, first: str | None, last: str | None, step: str | None) -> str:
        if step and int(step) > self.high - self.low + 1:
            return "where no step is that long"
        if not first:
            return ""
        low = self._value(first)
        if last and low == self._value(last):
            return "where a range has two different ends"
        if last and step and low > self._value(last):
            return "where no range with a step wraps round"
        if step and not last and low >= self.high:
            return "where no step starts at the last value"
        return ""

    def _value(self, text: str) -> int:
        return self.names.index(text) + self.low if text in self.names else int(text)


_SIGNS = "lists (,), ranges (-), steps (/) and *"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAYS = "sun mon tue wed thu fri sat"

SECOND = Field("second", 0, 59, f"0 to 59, {_SIGNS}")
MINUTE = Field("minute", 0, 59, f"0 to 59, {_SIGNS}")
HOUR = Field("hour", 0, 23, f"0 to 23, {_SIGNS}")
DAY = Field(
    "day of month",
    1,
    31,
    f"1 to 31, L for the last day, ?, {_SIGNS}",
    special=r"\?|l|(?:[12]?\d|30)-l",
)
MONTH = Field(
    "month", 1, 12, f"1 to 12, JAN to DEC, {_SIGNS}", names=tuple(_MONTHS.split())
)
WEEKDAY = Field(
    "day of week",
    0,
    6,
    "0 to 7 (0 and 7 are Sunday), SUN to SAT, 5#2 for the second Friday of the month, "
    f"L5 for the last one, ?, {_SIGNS}",
    names=tuple(_WEEKDAYS.split()),
    special=rf"\?|l[0-7]|(?:[0-7]|{_WEEKDAYS.replace(' ', '|')})#[1-5]",
)

FIELDS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
