"""How much was raced: whether the operations overlapped, and came out differently.

Decides what counts as an outcome of its own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from anarchon.protocol import Answer, Done, Won
from property_tests.races.laws import Asked
from property_tests.races.linearizing import overlapping


@dataclass(slots=True)
class Count:
    """The numbers of all races on a store."""

    histories: int = 0
    operations: int = 0
    pairs: int = 0
    tried: int = 0
    most_tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter[str])

    def add(self, history: Sequence[Asked], tried: int) -> None:
        """Count what was asked about a job, and how far an order was searched."""
        self.histories += 1
        self.operations += len(history)
        self.pairs += overlapping(history)
        self.tried += tried
        self.most_tried = max(self.most_tried, tried)
        self.outcomes.update(map(_outcome, history))

    def __str__(self) -> str:
        """Tell all of them in a few lines."""
        outcomes = ", ".join(f"{name} {n}" for name, n in self.outcomes.most_common())
        return (
            f"{self.histories} histories of {self.operations} operations, "
            f"{self.pairs} pairs overlapped; {self.tried} steps of search, "
            f"at most {self.most_tried} for one\n  {outcomes}"
        )


def _outcome(asked: Asked) -> str:
    what = type(asked.request).__name__.lower()
    match asked.reply:
        case None:
            return f"{what} unanswered"
        case Answer(accepted=accepted):
            return f"{what} {'accepted' if accepted else 'refused'}"
        case Won(taken_from=str()):
            return "taken over"
        case Done(ended=(_, *_)):
            return "used up"
        case tuple():
            return what
        case _:
            return type(asked.reply).__name__.lower()
