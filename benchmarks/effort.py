"""How much is measured: rounds in which all subjects take turns.

Decides their order. Must not know what is measured.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

T = TypeVar("T")

ROUNDS = 5
# of so many one may disagree about a goal
ROUNDS_WITH_GOAL = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """So many rounds; ``quick`` asks whether it runs at all, not how fast."""

    rounds: int = ROUNDS
    quick: bool = False

    @property
    def for_goal(self) -> "Effort":
        """What it takes to tell whether a goal is met."""
        return self if self.quick else replace(self, rounds=ROUNDS_WITH_GOAL)

    def of(self, usual: T, quick: T) -> T:
        """Return how much to do."""
        return quick if self.quick else usual

    def alternate(self, subjects: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
        """Measure all subjects in each round, one after the other.

        What disturbs the machine for a while so meets all of them, and every other
        round goes backwards, so that none always comes first.
        """
        found: dict[str, list[T]] = {name: [] for name in subjects}
        for number in range(self.rounds):
            names = list(subjects)[:: 1 if number % 2 == 0 else -1]
            for name in names:
                found[name].append(subjects[name]())
        return found
