"""What was found of one store: the paces of its calls and of its floor, in each round.

Decides which figures a pace has. Must not know what is said of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.claim.pacing import Pace, Paces
from benchmarks.claim.subjects import ASYNCIO, FLOOR
from benchmarks.report import Cell

Figure = Callable[[Pace], float]


def median(pace: Pace) -> float:
    """Return the microseconds that half of the calls took at most."""
    return pace.median * 1e6


def p99(pace: Pace) -> float:
    """Return the microseconds that 99 of 100 calls took at most."""
    return pace.p99 * 1e6


def rate(pace: Pace) -> float:
    """Return the calls a second."""
    return pace.rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The rounds of each subject: bare calls, a loop, or calls without the bridge."""

    rounds: Mapping[str, Sequence[Paces]]

    @property
    def callers(self) -> Sequence[int]:
        """How many callers there were, the fewest first."""
        return self.callers_of(FLOOR, FLOOR)

    def words(self, subject: str) -> Sequence[str]:
        """Return the words of its calls."""
        return list(dict.fromkeys(word for word, _ in self.rounds[subject][0]))

    def callers_of(self, subject: str, word: str) -> Sequence[int]:
        """Return by how many callers a call was made."""
        return [many for each, many in self.rounds[subject][0] if each == word]

    def cell(self, subject: str, word: str, callers: int, of: Figure) -> Cell:
        """Return a figure of all rounds."""
        return Cell(values=[of(each[word, callers]) for each in self.rounds[subject]])

    def claim(self, callers: int, of: Figure) -> Cell:
        """Return a figure of the claims on asyncio."""
        return self.cell(ASYNCIO, "claim", callers, of)
