"""The six fields of a cron expression, and how each may be spelt.

Decides names, ranges and signs, and refuses what croniter would read differently from
what it says. Must not know what a field's values are used for.
"""

import re
from dataclasses import dataclass

from anarchon.errors import InvalidSchedule

_TERM = re.compile(r"(\w+)-(\w+)(/\d+)?", re.ASCII)
_STEP = re.compile(r"/(\d+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Field:
    """One field: what it is called, its values, their names, and its special signs."""

    title: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    signs: str = ""

    def check(self, expression: str, text: str) -> None:
        """Refuse letters, ranges and steps that aren't of this field.

        Raises:
            InvalidSchedule: the message names the field, the text and what is allowed.
        """
        if not re.fullmatch(self._letters(), text, re.ASCII):
            self.refuse(expression, text)
        for first, last, step in _TERM.findall(text):
            if first == last:
                self.refuse(expression, text, "a range needs two different ends")
            if step and self._value(first) > self._value(last):
                self.refuse(expression, text, "a range with a step can't wrap round")
        if any(int(step) > self.high for step in _STEP.findall(text)):
            self.refuse(expression, text, "no step is longer than the field")

    def refuse(self, expression: str, text: str, why: str = "") -> None:
        """Say what is wrong with a field, and what would be right."""
        raise InvalidSchedule(
            f"cron expression {expression!r}: {text!r} is not allowed as {self.title}"
            f"{why and ', ' + why}; allowed are {self.allowed()}"
        )

    def allowed(self) -> str:
        """Return what this field may hold, in words."""
        names = f"{self.names[0]} to {self.names[-1]}, " if self.names else ""
        signs = " ".join("*,-/" + self.signs)
        return f"{self.low} to {self.high}, {names}and {signs}".lower()

    def _letters(self) -> str:
        words = "".join(f"|{name}" for name in self.names)
        return rf"(?:[\d*,/{re.escape(self.signs.lower())}-]{words})+"

    def _value(self, text: str) -> int:
        return self.names.index(text) + self.low if text in self.names else int(text)


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAYS = "sun mon tue wed thu fri sat"

SECOND = Field("second", 0, 59)
MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day of month", 1, 31, signs="?L")
MONTH = Field("month", 1, 12, names=tuple(_MONTHS.split()))
WEEKDAY = Field("day of week", 0, 7, names=tuple(_WEEKDAYS.split()), signs="?L#")

FIELDS = (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY)
