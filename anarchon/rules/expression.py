"""From a cron expression to the pattern that it means.

Decides which expressions there are; croniter reads their fields. Must not know zones.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NoReturn

from anarchon.errors import InvalidSchedule
from anarchon.rules.dates import EACH, LAST, Dates
from anarchon.rules.fields import FIELDS, HOUR, MINUTE, MONTH, SECOND, Field
from anarchon.rules.pattern import Pattern

ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@lru_cache(maxsize=1024)
def parse(expression: str) -> Pattern:
    """Return what an expression of five or six fields, or an alias, matches.

    Raises:
        InvalidSchedule: the message names the field, its value and what is allowed.
    """
    texts = _split(expression)
    for field, text in zip(FIELDS, texts, strict=True):
        field.check(expression, text)
    pattern = _read(expression, texts)
    if not pattern.dates.exist():
        raise InvalidSchedule(f"cron expression {expression!r} never matches any date")
    return pattern


def _split(expression: str) -> list[str]:
    text = expression.strip().lower()
    if text.startswith("@") and text not in ALIASES:
        raise InvalidSchedule(
            f"unknown cron alias {expression!r}; there are {', '.join(ALIASES)}"
        )
    texts = re.findall(r"\S+", ALIASES.get(text, text), re.ASCII)
    if len(texts) == len(FIELDS) - 1:
        texts.insert(0, "0")
    if len(texts) != len(FIELDS):
        raise InvalidSchedule(
            f"a cron expression has 5 fields (minute, hour, day of month, month, day "
            f"of week), or 6 with seconds first, which {expression!r} has not"
        )
    return texts


def _read(expression: str, texts: list[str]) -> Pattern:
    try:
        fields, nth = _expand(texts)
    except ValueError as error:
        _blame(expression, texts, error)
    minute, hour, day, month, weekday, second = fields
    seconds = _all_or(second, SECOND)
    return Pattern(
        dates=Dates(
            months=frozenset(_all_or(month, MONTH)),
            days=_days(day),
            weekdays=_weekdays(weekday, nth),
        ),
        hours=_all_or(hour, HOUR),
        ticks=tuple(60 * m + s for m in _all_or(minute, MINUTE) for s in seconds),
        by_the_hour=re.fullmatch(r"\*(/\d+)?", texts[2]) is not None,
    )


def _expand(
    texts: list[str],
) -> tuple[Sequence[Iterable[int | str]], list[tuple[int, int | str]]]:
    """Return each field's values, seconds last, and the weekdays that are "nth"."""
    # croniter costs more to import than all of the rest
    from croniter import croniter

    fields, nth = croniter.expand(" ".join(texts), second_at_beginning=True)
    return fields, [(int(day), which) for day, some in nth.items() for which in some]


def _blame(expression: str, texts: list[str], error: ValueError) -> NoReturn:
    """Find what croniter refuses also when it stands alone: a part, or a field."""
    for index, (field, text) in enumerate(zip(FIELDS, texts, strict=True)):
        for suspect in (*text.split(","), text):
            alone = ["*"] * len(FIELDS)
            alone[index] = suspect
            try:
                _expand(alone)
            except ValueError:
                field.refuse(expression, suspect)
    raise InvalidSchedule(f"cron expression {expression!r} is not allowed: {error}")


def _all_or(values: Iterable[int | str], field: Field) -> tuple[int, ...]:
    numbers = tuple(value for value in values if isinstance(value, int))
    return tuple(range(field.low, field.high + 1)) if "*" in values else numbers


def _days(values: Iterable[int | str]) -> frozenset[int] | None:
    if "*" in values:
        return None
    return frozenset(LAST if value == "l" else int(value) for value in values)


def _weekdays(
    values: Iterable[int | str], nth: list[tuple[int, int | str]]
) -> frozenset[tuple[int, int]] | None:
    if nth:
        return frozenset((day, LAST if n == "l" else int(n)) for day, n in nth)
    return None if "*" in values else frozenset((int(value), EACH) for value in values)
