"""A promise and how it was found.

Decides what a verdict consists of. Must not know what is promised.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What was promised, whether it was kept, and what was found."""

    text: str
    kept: bool
    found: str


def judge(text: str, problems: Iterable[str], found: str) -> Promise:
    """Return the promise as kept, with what was found, if there is no problem."""
    wrong = tuple(problems)
    return Promise(text=text, kept=not wrong, found="; ".join(wrong) or found)
