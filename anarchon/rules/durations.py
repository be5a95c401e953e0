"""Durations as users write them, turned into seconds.

Decides which numbers, timedeltas and texts are one. Must not know what it is for.
"""

import math
import re
from datetime import timedelta

from anarchon.errors import AnarchonError, InvalidOption

Duration = float | timedelta | str
"""Seconds as a number, a ``timedelta``, or text such as ``"10s"`` or ``"1h30m"``."""

LONGEST = 36_525 * 86_400.0

_PARTS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1), ("ms", 0.001))
_TEXT = re.compile(
    r"\s*".join(rf"(?:(\d+(?:\.\d+)?)\s*{unit})?" for unit, _ in _PARTS),
    re.ASCII,
)


def to_seconds(
    value: object,
    *,
    name: str,
    zero: bool = False,
    error: type[AnarchonError] = InvalidOption,
) -> float:
    """Return a duration in seconds, to the microsecond.

    ``name`` is what the message of a refusal calls the value; ``zero`` says whether
    nothing at all is a duration here.

    Raises:
        AnarchonError: of the class ``error``; it isn't a duration that is allowed.
    """
    seconds = _read(value)
    if not math.isfinite(seconds) or seconds < 0 or seconds > LONGEST:
        raise error(_refusal(name, value, zero=zero))
    if seconds == 0 and not zero:
        raise error(_refusal(name, value, zero=zero))
    return seconds


def _read(value: object) -> float:
    """Return the seconds, or NaN for what can't be read."""
    match value:
        case bool():
            return math.nan
        case int() | float():
            return _from_number(value)
        case timedelta():
            return value.total_seconds()
        case str():
            return _from_text(value.strip())
        case _:
            return math.nan


def _from_number(value: float) -> float:
    # an int may be too large for a float
    return float(value) if abs(value) <= LONGEST else math.inf


def _from_text(text: str) -> float:
    found = _TEXT.fullmatch(text)
    if not found or not text:
        return math.nan
    parts = zip(found.groups(), _PARTS, strict=True)
    total = sum(float(number) * length for number, (_, length) in parts if number)
    return round(total, 6)


def _refusal(name: str, value: object, *, zero: bool) -> str:
    least = "0 or more" if zero else "more than 0"
    return (
        f"{name} must be a duration of {least} and at most 100 years: seconds as a "
        f"number, a timedelta, or text with units such as '10s', '1h30m', '250ms' or "
        f"'2d'; not {value!r}"
    )
