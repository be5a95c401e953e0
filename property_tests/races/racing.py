"""Races on one store: run, recorded, and held against the laws.

Decides how workers are let go, and what is the history of a race. Must not know what
they ask, nor which store it is.

The same race never goes the same way twice, so nothing is gained by searching for a
simpler one that fails: races are drawn from numbers, and the first that can't be
explained is told as it was.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from hypothesis import settings

from anarchon.protocol import Backend
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.clock import SLOT
from property_tests import tally
from property_tests.races.count import Count
from property_tests.races.draws import drawn
from property_tests.races.kinds import Kind
from property_tests.races.laws import Asked, Laws, State
from property_tests.races.linearizing import linearized
from property_tests.races.plans import Ask, Burst, Clock, Field, Step
from property_tests.races.requests import ReadHistory, ReadRuns, Request
from property_tests.races.story import Story
from property_tests.races.workers import Hired, hired

JOBS = "ab"
LOOPS = {"A": "trio", "B": "asyncio", "C": "trio", "D": "asyncio"}
# nanoseconds; enough for all of them to have gone to sleep
SOON = 2_000_000

Hire = Callable[[str, str, Backend, ManualClock | None], AbstractContextManager[Hired]]
"""Opens a store for the worker of this name, in a loop of this kind."""


def hold_races(
    kind: Kind,
    new_backend: Callable[[ManualClock | None], Backend],
    clock: Clock,
    races: int,
    hire: Hire = hired,
) -> None:
    """Hold races on a new store; the first that can't be explained fails the test.

    ``races`` is how many there are where the profile has Hypothesis's hundred examples.
    """
    wanted = round(races * settings().max_examples / 100)
    first = 0 if settings().derandomize else random.randrange(2**32)
    hand = None if clock is Clock.OWN else ManualClock()
    backend = new_backend(hand)
    count = Count()
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(hire(name, loop, backend, hand))
            for name, loop in LOOPS.items()
        }
        store = Store(kind=kind, workers=workers, clock=clock, hand=hand)
        for number in range(first, first + wanted):
            Race(store, number).hold(count)
    title = f"races on {backend.name}, clock {clock}"
    print(f"{title}, from {first} on: {count}")
    tally.add(title, examples=wanted, steps=count.operations)
    assert count.pairs > count.operations / 10
    assert kind.outcomes <= len(count.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """An open store; ``hand`` is its clock, if that is moved by hand."""

    kind: Kind
    workers: dict[str, Hired]
    clock: Clock
    hand: ManualClock | None

    def prepare(self, jobs: Sequence[str]) -> int:
        """Create what these jobs need, and return the time; a hand starts anew."""
        if self.hand is not None:
            self.hand.ms = SLOT
        times = [worker.prepare(jobs) for worker in self.workers.values()]
        return max((told for told in times if told is not None), default=SLOT)

    def play(self, burst: Burst) -> list[Asked]:
        """Let all of them go at once."""
        self.alone(burst.before)
        go = time.perf_counter_ns() + SOON
        parts = [
            self.workers[who].play(steps, go) for who, steps in burst.steps.items()
        ]
        return [asked for part in parts for asked in part.result()]

    def alone(self, steps: Sequence[Step]) -> list[Asked]:
        """Let one of them do something while the others rest."""
        return next(iter(self.workers.values())).play(steps, 0).result()


class Race:
    """One race, for jobs that no other race had."""

    def __init__(self, store: Store, number: int) -> None:
        self._store = store
        self._number = number
        jobs = [f"{letter}{number}" for letter in JOBS]
        self._field = Field(
            jobs=jobs,
            start=store.prepare(jobs),
            clock=store.clock,
            store=store.kind.askable,
        )

    def hold(self, count: Count) -> None:
        """Run the race, and explain what was answered about each job."""
        history: list[Asked] = []
        for burst in drawn(self._number, self._field):
            history += self._store.play(burst)
            history += self._read()
        for job in self._field.jobs:
            about = [each for each in history if each.request.job == job]
            self._explain(job, about, count)

    def _read(self) -> list[Asked]:
        """Read all that is stored, while nothing else is asked."""
        reads: list[Request] = [ReadHistory(job=job) for job in self._field.jobs]
        if self._field.store.leases:
            reads += [ReadRuns(job=job) for job in self._field.jobs]
        return self._store.alone([Ask(request=request) for request in reads])

    def _explain(self, job: str, history: Sequence[Asked], count: Count) -> None:
        start, onward = self._field.start, self._field.clock is Clock.OWN
        laws = Laws(now=start, onward=onward)
        state = State.of(self._store.kind.new_job(job), 0 if onward else start)
        verdict = linearized(history, state, laws.step)
        count.add(history, verdict.tried)
        title = f"No order explains what was answered about {job}, race {self._number}:"
        assert verdict.explained, str(
            Story(title=title, history=history, verdict=verdict, laws=laws, start=start)
        )
