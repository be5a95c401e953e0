"""Whether what overlapping operations were answered can have come about one by one.

Decides by search, as Wing and Gong do: whatever may have been first is tried first; as
Lowe adds, what is left after the same operations with the same state is tried once.
Must not know what the operations are.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from typing import Generic, TypeVar

Request = TypeVar("Request")
Reply = TypeVar("Reply")
State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[Request, Reply]):
    """Who asked what, when, and what was the answer; times are in nanoseconds.

    One without an end was never answered: it may have been carried out at any time
    after its beginning, or never.
    """

    by: str
    began: int
    request: Request
    ended: int | None = None
    reply: Reply | None = None

    @property
    def until(self) -> float:
        """When it was carried out at the latest."""
        return inf if self.ended is None else self.ended

    def overlaps(self, other: "Operation[Request, Reply]") -> bool:
        """Whether neither of them was over when the other one began."""
        return self.began <= other.until and other.began <= self.until


Step = Callable[[State, Operation[Request, Reply]], Iterable[State]]
"""The states in which an operation, answered as it was, can leave a given state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Generic[State, Request, Reply]):
    """An order of all operations, or as much of one as explains the most.

    After ``order`` the state is ``state``, and what comes ``next`` is one of these.
    ``tried`` is how many pairs of operations done and a state were looked at.
    """

    explained: bool
    order: tuple[Operation[Request, Reply], ...]
    state: State
    next: tuple[Operation[Request, Reply], ...]
    tried: int


def linearized(
    history: Iterable[Operation[Request, Reply]],
    start: State,
    step: Step[State, Request, Reply],
) -> Verdict[State, Request, Reply]:
    """Look for an order in which the operations, one by one, are answered as they were.

    No operation comes before one that had ended before it began.
    """
    search = _Search(sorted(history, key=lambda each: each.until), step)
    explained = search.explain((), start)
    order, state = search.best
    return Verdict(
        explained=explained,
        order=tuple(search.history[index] for index in order),
        state=state,
        next=tuple(search.history[index] for index in search.next_after(order)),
        tried=len(search.tried),
    )


def overlapping(history: Sequence[Operation[Request, Reply]]) -> int:
    """Count the pairs of operations that overlap."""
    return sum(one.overlaps(other) for one, other in combinations(history, 2))


@dataclass(slots=True)
class _Search(Generic[State, Request, Reply]):
    """A search through orders; an operation is known by its place in ``history``."""

    history: Sequence[Operation[Request, Reply]]
    step: Step[State, Request, Reply]
    tried: set[tuple[frozenset[int], State]] = field(
        default_factory=set[tuple[frozenset[int], State]]
    )
    _best: tuple[tuple[int, ...], State] | None = None

    @property
    def best(self) -> tuple[tuple[int, ...], State]:
        """The longest order so far, and the state after it."""
        assert self._best is not None
        return self._best

    def explain(self, order: tuple[int, ...], state: State) -> bool:
        """Whether all that is left can follow this order, with this state after it."""
        first = frozenset(order), state
        if first in self.tried:
            return False
        self.tried.add(first)
        explained = self._is_whole(order)
        if explained or self._best is None or len(order) > len(self._best[0]):
            self._best = order, state
        return explained or any(
            self.explain((*order, index), after)
            for index in self.next_after(order)
            for after in self._states_after(index, state)
        )

    def _states_after(self, index: int, state: State) -> Iterator[State]:
        operation = self.history[index]
        for after in self.step(state, operation):
            # what was never answered and changes nothing may as well not have happened
            if operation.ended is not None or after != state:
                yield after

    def next_after(self, order: tuple[int, ...]) -> Iterator[int]:
        """Yield what may come next: whatever began before anything left has ended."""
        done = set(order)
        left = [index for index in range(len(self.history)) if index not in done]
        first_end = min((self.history[index].until for index in left), default=inf)
        return (index for index in left if self.history[index].began <= first_end)

    def _is_whole(self, order: tuple[int, ...]) -> bool:
        """Whether the order has all that was answered."""
        answered = sum(each.ended is not None for each in self.history)
        return answered == sum(self.history[i].ended is not None for i in order)
