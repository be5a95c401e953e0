"""Calls by many callers at once, each timed, of subjects that take short turns.

Decides that what is compared is never far apart: a turn is of some hundred calls, and
every other one goes backwards. Must not know what is called.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import TypeVar

import anyio

from benchmarks.percentiles import percentile

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The seconds of each call, and those that all of a turn took."""

    each: Sequence[float]
    took: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a call was: seconds that one took, and how many a second were made."""

    median: float
    p99: float
    rate: float


# by the word of the call and the number of callers
Paces = Mapping[tuple[str, int], Pace]
# lets so many callers have a turn; returns the times of its calls by their words
Turn = Callable[[int], Awaitable[Mapping[str, Times]]]


async def paces(
    subjects: Mapping[str, Turn], turns: Mapping[int, int]
) -> dict[str, Paces]:
    """Return the paces of each subject, which has so many turns of so many callers."""
    for turn in subjects.values():
        # connections are made when first needed
        await turn(max(turns))
    found = {
        callers: await _taken(subjects, callers, turns[callers]) for callers in turns
    }
    return {
        name: {
            (word, callers): _pace([times[word] for times in taken[name]])
            for callers, taken in found.items()
            for word in taken[name][0]
        }
        for name in subjects
    }


async def timed(
    call: Callable[[T], Awaitable[object]], things: Iterable[T], callers: int
) -> Times:
    """Let the callers take one thing after the other, until there are none."""
    left, each = iter(things), list[float]()

    async def caller() -> None:
        for thing in left:
            began = perf_counter()
            await call(thing)
            each.append(perf_counter() - began)

    began = perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(callers):
            group.start_soon(caller)
    return Times(each=each, took=perf_counter() - began)


async def _taken(
    subjects: Mapping[str, Turn], callers: int, turns: int
) -> dict[str, list[Mapping[str, Times]]]:
    taken: dict[str, list[Mapping[str, Times]]] = {name: [] for name in subjects}
    for number in range(turns):
        for name in list(subjects)[:: 1 if number % 2 == 0 else -1]:
            taken[name].append(await subjects[name](callers))
    return taken


def _pace(turns: Sequence[Times]) -> Pace:
    each = list(chain.from_iterable(turn.each for turn in turns))
    return Pace(
        median=percentile(each, 50),
        p99=percentile(each, 99),
        rate=len(each) / sum(turn.took for turn in turns),
    )
