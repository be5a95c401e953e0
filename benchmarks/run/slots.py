"""One slot that many jobs share, and what becomes of it.

Decides how long the instances are given to be up before it, and how long it is watched.
Must not know what is compared.
"""

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.instances.marks import Kind, Mark
from benchmarks.instances.places import Places
from benchmarks.instances.process import Instances
from benchmarks.instances.subjects import Subject
from benchmarks.processor import on_processor, seconds_since

# seconds: between being up and the slot, at least; until the slot at the first try;
# from the slot on
QUIET = 0.3
FIRST_LEAD = 1.5
WATCHED = 6.0
TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What was seen of it, in seconds after it: starts, and ends that were stored.

    There is one of each for each job that came so far; ``starts`` counts repetitions.
    ``cpu`` is what the instances used from before the slot until the end, and
    ``server_cpu`` what their server did, both in seconds on a processor.
    """

    started: Sequence[float]
    stored: Sequence[float]
    starts: int
    cpu: float
    server_cpu: float

    @property
    def first_start(self) -> float:
        """How long after the slot anything started."""
        return min(self.started)

    @property
    def last_start(self) -> float:
        """How long after the slot the last one started."""
        return max(self.started)

    @property
    def start_rate(self) -> float:
        """Jobs a second, until the last one started."""
        return len(self.started) / self.last_start

    @property
    def stored_rate(self) -> float:
        """Jobs a second, until the end of the last one was stored."""
        return len(self.stored) / max(self.stored)

    @property
    def span(self) -> float:
        """How long after the first start the last one was."""
        return self.last_start - self.first_start

    @property
    def rate_once_begun(self) -> float:
        """Jobs a second, from the first start to the last."""
        return (len(self.started) - 1) / self.span

    @property
    def cpu_of_each(self) -> float:
        """Seconds of CPU for each job that was started, by all instances together."""
        return self.cpu / len(self.started)

    @property
    def server_cpu_of_each(self) -> float:
        """The same of their server."""
        return self.server_cpu / len(self.started)

    @property
    def runs_of_each(self) -> float:
        """How often a job was started that was started at all."""
        return self.starts / len(self.started)


class Slots:
    """Lets subjects have slots, one after the other, each on an empty store."""

    def __init__(self, places: Places, jobs: int) -> None:
        self._places = places
        self._jobs = jobs
        # how long the instances took to be up the last time
        self._takes: dict[tuple[str, int], float] = {}

    def slot(self, subject: Subject, count: int) -> Slot:
        """Let so many instances have a slot of all jobs."""
        for _ in range(TRIES):
            found = self._try(subject, count)
            if found is not None:
                return found
        raise RuntimeError(f"{count} of {subject.name} are never up before the slot")

    def _try(self, subject: Subject, count: int) -> Slot | None:
        key = (subject.name, count)
        # each at a moment of its own between two slots: some look once in a while
        time.sleep(random.random())
        with self._places.place(subject) as url:
            began = time.time()
            at = math.ceil(began + self._takes.get(key, FIRST_LEAD) + 2 * QUIET)
            job = ["--url", url, "--jobs", str(self._jobs), "--at", str(at)]
            with Instances([*subject.command, *job]) as instances:
                instances.start(count)
                self._takes[key] = time.time() - began
                if time.time() > at - QUIET:
                    return None
                server = self._places.pids(subject)
                idle = instances.on_processor(), on_processor(server)
                instances.until(self._whole, at + WATCHED - time.time())
                cpu = seconds_since(idle[0], instances.on_processor())
                server_cpu = seconds_since(idle[1], on_processor(server))
                instances.stop()
                # with what came meanwhile: a job may have been run again
                return self._seen(instances.marks(), at, cpu, server_cpu)

    def _whole(self, marks: Sequence[Mark]) -> bool:
        return len(_firsts(marks, Kind.STORED)) == self._jobs

    def _seen(
        self, marks: Sequence[Mark], at: int, cpu: float, server_cpu: float
    ) -> Slot:
        started, stored = (
            [first - at for first in _firsts(marks, kind)]
            for kind in (Kind.START, Kind.STORED)
        )
        if not stored:
            raise RuntimeError(f"nothing was run within {WATCHED:g} s of its slot")
        starts = sum(mark.kind is Kind.START for mark in marks)
        return Slot(
            started=started,
            stored=stored,
            starts=starts,
            cpu=cpu,
            server_cpu=server_cpu,
        )


def _firsts(marks: Sequence[Mark], kind: Kind) -> Sequence[float]:
    firsts: dict[str, float] = {}
    for mark in marks:
        if mark.kind is kind:
            firsts.setdefault(mark.job, mark.at)
    return list(firsts.values())
