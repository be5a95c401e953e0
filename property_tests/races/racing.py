"""Races on one store: run, recorded, and held against the laws.

Decides how workers are let go, and what is the history of a race. Must not know what
they ask, nor which store it is.

The same race never goes the same way twice, so nothing is gained by searching for a
simpler one that fails: races are drawn from numbers, and the first that can't be
explained is told as it was.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from hypothesis import settings

from anarchon.protocol import Backend
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.clock import SLOT
from property_tests import tally
from property_tests.races.count import Count
from property_tests.races.laws import AnyJob, Asked, Laws, State
from property_tests.races.linearizing import linearized
from property_tests.races.plans import Ask, Burst, Clock, Field, Step, drawn
from property_tests.races.requests import ReadHistory, ReadRuns, Request
from property_tests.races.story import Story
from property_tests.races.workers import Hired, hired
from property_tests.stores.claim_model import ClaimOnlyJob
from property_tests.stores.lease_model import Job

JOBS = "ab"
LOOPS = {"A": "trio", "B": "asyncio", "C": "trio", "D": "asyncio"}
# enough for all of them to have gone to sleep
SOON = 2_000_000

OF_CLAIMS = frozenset(["won", "running", "finish accepted", "finish refused"])
OF_LEASES = OF_CLAIMS | {"taken over", "done", "heartbeat accepted", "release accepted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of store: the model of its jobs, and what can be asked of it.

    ``outcomes`` are those without which races have tried too little. ``trims`` and
    ``copies`` are as in ``Field``.
    """

    new_job: Callable[[str], AnyJob]
    outcomes: frozenset[str]
    leases: bool = False
    trims: bool = False
    copies: bool = True


LEASES = Kind(new_job=Job, outcomes=OF_LEASES, leases=True, trims=True)
UNTRIMMED = Kind(new_job=Job, outcomes=OF_LEASES, leases=True)
ORDERED = Kind(
    new_job=lambda _: ClaimOnlyJob(in_order=True, tells_time=True),
    outcomes=OF_CLAIMS | {"early", "done"},
)
UNORDERED = Kind(
    new_job=lambda _: ClaimOnlyJob(in_order=False, tells_time=True),
    outcomes=OF_CLAIMS | {"early"},
)
# such a store hears of an end a little later than whoever was told that it is stored
TIMELESS = Kind(
    new_job=lambda _: ClaimOnlyJob(in_order=False, tells_time=False),
    outcomes=OF_CLAIMS,
    copies=False,
)


def hold_races(
    kind: Kind,
    new_backend: Callable[[ManualClock | None], Backend],
    clock: Clock,
    races: int,
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
            name: stack.enter_context(hired(name, loop, backend, hand))
            for name, loop in LOOPS.items()
        }
        for number in range(first, first + wanted):
            Race(kind, workers, hand, clock, number).hold(count)
    print(f"{backend.name}, clock {clock}, races from {first} on: {count}")
    title = f"races on {backend.name}, clock {clock}"
    tally.add(title, examples=wanted, steps=count.operations)
    assert count.pairs > count.operations / 10
    assert kind.outcomes <= count.outcomes.keys()


class Race:
    """One race of all workers, for jobs that no other race had."""

    def __init__(
        self,
        kind: Kind,
        workers: Mapping[str, Hired],
        hand: ManualClock | None,
        clock: Clock,
        number: int,
    ) -> None:
        self._kind = kind
        self._workers = workers
        self._number = number
        if hand is not None:
            hand.ms = SLOT
        self._jobs = [f"{letter}{number}" for letter in JOBS]
        times = [worker.prepare(self._jobs) for worker in workers.values()]
        self._start = SLOT if hand is not None else max(map(int, filter(None, times)))
        self._field = Field(
            jobs=self._jobs,
            start=self._start,
            clock=clock,
            leases=kind.leases,
            trims=kind.trims,
            copies=kind.copies,
        )

    def hold(self, count: Count) -> None:
        """Run the race, and explain what was answered about each job."""
        history: list[Asked] = []
        for burst in drawn(self._number, self._field):
            history += self._play(burst)
            history += self._read()
        for job in self._jobs:
            about = [each for each in history if each.request.job == job]
            self._explain(job, about, count)

    def _play(self, burst: Burst) -> list[Asked]:
        self._alone(burst.before)
        go = time.perf_counter_ns() + SOON
        parts = [
            self._workers[name].play(steps, go) for name, steps in burst.steps.items()
        ]
        return [asked for part in parts for asked in part.result()]

    def _read(self) -> list[Asked]:
        """Read all that is stored, while nothing else is asked."""
        reads: list[Request] = [ReadHistory(job=job) for job in self._jobs]
        if self._kind.leases:
            reads += [ReadRuns(job=job) for job in self._jobs]
        return self._alone([Ask(request=request) for request in reads])

    def _alone(self, steps: Sequence[Step]) -> list[Asked]:
        """Let one of them do something while the others rest."""
        return next(iter(self._workers.values())).play(steps, 0).result()

    def _explain(self, job: str, history: Sequence[Asked], count: Count) -> None:
        onward = self._field.clock is Clock.OWN
        laws = Laws(now=self._start, onward=onward)
        state = State.of(self._kind.new_job(job), 0 if onward else self._start)
        verdict = linearized(history, state, laws.step)
        count.add(history, verdict.tried)
        title = (
            f"No order explains what was answered about {job} in race {self._number}:"
        )
        assert verdict.explained, str(
            Story(
                title=title,
                history=history,
                verdict=verdict,
                laws=laws,
                start=self._start,
            )
        )
