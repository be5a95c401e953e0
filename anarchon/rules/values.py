"""Counts and words as users write them.

Decides what a count and a word of a fixed set are. Must not know what they are for.
"""

from enum import StrEnum
from typing import TypeVar

from anarchon.errors import InvalidOption

Word = TypeVar("Word", bound=StrEnum)

LARGEST = 2**31 - 1
"""The largest count that every store can hold."""


def to_count(value: object, *, name: str) -> int:
    """Return a whole number from 1 on; one beyond ``LARGEST`` counts as that.

    Whoever writes ``sys.maxsize`` means all there is.

    Raises:
        InvalidOption: it isn't one; ``name`` is what the message calls it.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidOption(f"{name} must be a whole number from 1 on, not {value!r}")
    return min(value, LARGEST)


def to_word(value: object, kind: type[Word], *, name: str) -> Word:
    """Return the member of ``kind`` that the value is or spells.

    Raises:
        InvalidOption: it is none of them; ``name`` is what the message calls it.
    """
    for member in kind:
        if value == member:
            return member
    allowed = " or ".join(repr(member.value) for member in kind)
    raise InvalidOption(f"{name} must be {allowed}, not {value!r}")
