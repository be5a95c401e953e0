"""A promise and what was found of it.

Decides what a verdict consists of. Must not know what is promised.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What was promised; ``found`` is how well it was kept, ``problems`` how not."""

    text: str
    found: str
    problems: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


def judge(text: str, problems: Iterable[str], found: str) -> Promise:
    """Return the promise with all its problems."""
    return Promise(text=text, found=found, problems=tuple(problems))
