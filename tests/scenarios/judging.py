"""What a judge may find: that a promise was kept, how fast, or how it was broken.

Decides how a finding is worded. Must not know any promise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from tests.scenarios.figures import SLACK

T = TypeVar("T")


class Broken(Exception):
    """The promise was not kept; the message says what was seen instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A time that was measured, in seconds, and within what it is promised."""

    what: str
    seconds: float
    within: float


def same(expected: object, found: object) -> None:
    """Hold that this was found.

    Raises:
        Broken: something else was.
    """
    if expected != found:
        raise Broken(f"expected {_told(expected)}, found {_told(found)}")


def holds(condition: object, otherwise: str) -> None:
    """Hold that this is so.

    Raises:
        Broken: it isn't; the message is ``otherwise``.
    """
    if not condition:
        raise Broken(otherwise)


def only(found: Sequence[T], what: str) -> T:
    """Return the only one of its kind.

    Raises:
        Broken: there is none, or more than one.
    """
    if len(found) != 1:
        raise Broken(f"expected one {what}, found {len(found)}")
    return found[0]


def first_of(count: int, found: Sequence[T], what: str) -> Sequence[T]:
    """Return the first so many of a kind.

    Raises:
        Broken: there are fewer.
    """
    if len(found) < count:
        raise Broken(f"expected at least {count} {what}, found {len(found)}")
    return found[:count]


def within(what: str, seconds: float, most: float, least: float = 0.0) -> Time:
    """Return a time that lies between both bounds, give or take a busy machine.

    Raises:
        Broken: it doesn't.
    """
    if not least - SLACK <= seconds <= most + SLACK:
        raise Broken(f"{what}: {seconds:.2f} s, not within {least:.2f} to {most:.2f} s")
    return Time(what=what, seconds=seconds, within=most)


def _told(value: object) -> str:
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return f"[{', '.join(map(_told, items))}]"
    return str(value)
