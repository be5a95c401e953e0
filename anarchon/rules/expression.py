"""From a cron expression to the pattern that it means.

Decides which expressions there are; croniter reads their fields. Must not know zones.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NoReturn

from anarchon.errors import InvalidSchedule
from anarchon.rules.dates import EACH, LAST, Dates
from anarchon.rules.fields import (
    DAY,
    FIELDS,
    HOUR,
    MINUTE,
    MONTH,
    SECOND,
    WEEKDAY,
    Field,
)
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

_WILDCARDS = ("*", "?")


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
    second, minute, hour, day, month, weekday = fields
    minutes, seconds = _numbers(MINUTE, minute), _numbers(SECOND, second)
    return Pattern(
        dates=Dates(
            months=frozenset(_numbers(MONTH, month)),
            days=_days(texts[3], day),
            weekdays=_weekdays(texts[5], weekday, nth),
        ),
        hours=_numbers(HOUR, hour),
        ticks=tuple(60 * m + s for m in minutes for s in seconds),
        by_the_hour=re.fullmatch(r"\*(/\d+)?", texts[2]) is not None,
    )


def _expand(
    texts: list[str],
) -> tuple[Sequence[Iterable[int | str]], list[tuple[int, int | str]]]:
    """Return each field's values, and the weekdays that are the nth of a month."""
    # croniter costs more to import than all of the rest
    from croniter import croniter

    # seconds are read like minutes: with six fields croniter 6 refuses 7 for Sunday
    (second, *_), _ = croniter.expand(f"{texts[0]} * * * *")
    fields, nth = croniter.expand(" ".join(texts[1:]))
    weekdays: list[tuple[int, int | str]] = [
        (int(day), which) for day, some in nth.items() for which in some
    ]
    return [second, *fields], weekdays


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


def _numbers(field: Field, values: Iterable[int | str]) -> tuple[int, ...]:
    if "*" in values:
        return tuple(range(field.low, field.high + 1))
    return tuple(value for value in values if isinstance(value, int))


def _days(text: str, values: Iterable[int | str]) -> frozenset[int] | None:
    if text in _WILDCARDS:
        return None
    days = frozenset(_numbers(DAY, values))
    return days | {LAST} if "l" in values else days


def _weekdays(
    text: str, values: Iterable[int | str], nth: list[tuple[int, int | str]]
) -> frozenset[tuple[int, int]] | None:
    if text in _WILDCARDS:
        return None
    if nth:
        return frozenset((day, LAST if n == "l" else int(n)) for day, n in nth)
    return frozenset((day, EACH) for day in _numbers(WEEKDAY, values))
