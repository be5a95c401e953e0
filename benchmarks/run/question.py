"""How many runs a second go through the whole path, here and in other packages.

Decides what is put side by side. The path is a timer, a claim, a handler that does
nothing, its end, and the record of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from benchmarks.effort import Effort
from benchmarks.instances.places import Places
from benchmarks.instances.subjects import (
    Subject,
    in_one_process,
    on_other_stores,
    on_postgres,
    on_redis,
)
from benchmarks.peers import known
from benchmarks.peers.program import AT_ONCE, CONNECTIONS
from benchmarks.report import Answer, Cell, Goal, Row, Table
from benchmarks.run.slots import WATCHED, Slot, Slots
from benchmarks.words import counted, number
from tests.servers.fleet import Fleet

TITLE = "Runs a second"

JOBS = 500
FEW = 20
COUNTS = (1, 3)
FACTOR = 5.0

GROUPS: Mapping[str, Callable[[], Sequence[Subject]]] = {
    "In one process": in_one_process,
    "On PostgreSQL": on_postgres,
    "On Redis": on_redis,
    "On the other stores": on_other_stores,
}
TEXT = f"""{{jobs}} jobs are due at the same second; their handlers do nothing but note
that they began. Runs a second are the jobs by the time from that second until the last
one started, and until the end of the last one was in the store. Who waits a while
before it looks for what is due, or looks now and then, is slower by that; the first
start tells. Instances are processes of their own, beside the server, which is emptied
before each slot. Starts are watched for {WATCHED:g} s. An instance has up to {AT_ONCE}
runs at once and {CONNECTIONS} connections, where it can be told so; anarchon has no
limit of runs, as many connections as it comes with, and no jitter. All run on plain
asyncio, and keep the result of each run if they can."""
LIKEWISE = "The same jobs, likewise."


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a subject came to in all rounds, by how many instances it had."""

    subject: Subject
    slots: Mapping[int, Sequence[Slot]]

    def cell(self, count: int, figure: Callable[[Slot], float]) -> Cell:
        """Return a figure of all rounds."""
        return Cell(values=[figure(slot) for slot in self.slots[count]])

    def rate(self, count: int) -> Cell:
        """Return the runs a second until the last start."""
        return self.cell(count, lambda slot: slot.start_rate)

    def cpu(self, count: int) -> Cell:
        """Return the milliseconds of CPU that a run took of all instances together."""
        return self.cell(count, lambda slot: 1e3 * slot.cpu_of_each)

    def span(self, count: int) -> Cell:
        """Return the seconds from the first start to the last."""
        return self.cell(count, lambda slot: slot.last_start - slot.first_start)


def answer(effort: Effort) -> Answer:
    """Measure group by group; the subjects of each take turns."""
    jobs = effort.of(JOBS, FEW)
    with Fleet() as fleet, ExitStack() as stack:
        slots = Slots(Places(fleet, stack, jobs), jobs)
        groups = {
            name: _measured(subjects()[: effort.of(None, 2)], slots, effort)
            for name, subjects in GROUPS.items()
        }
    return Answer(
        tables=[_table(name, found, jobs) for name, found in groups.items()],
        goals=[goal for found in groups.values() for goal in _goals(found)],
    )


def _measured(
    subjects: Sequence[Subject], slots: Slots, effort: Effort
) -> Sequence[Found]:
    alone = COUNTS[:1]
    counts = {
        subject.name: effort.of(COUNTS, alone) if subject.shared else alone
        for subject in subjects
    }
    turns = {
        f"{subject.name} {count}": partial(slots.slot, subject, count)
        for subject in subjects
        for count in counts[subject.name]
    }
    found = effort.alternate(turns)
    return [
        Found(subject=subject, slots={n: found[f"{name} {n}"] for n in counts[name]})
        for subject in subjects
        for name in [subject.name]
    ]


def _table(name: str, found: Sequence[Found], jobs: int) -> Table:
    text = TEXT.format(jobs=jobs) if name == next(iter(GROUPS)) else LIKEWISE
    return Table(
        title=name,
        text=" ".join([text, *_driven(found)]),
        rows=[Row(name=each.subject.name, cells=dict(_cells(each))) for each in found],
        unit="runs a second",
        notes=[*_ahead(found), *_late(found, jobs)],
    )


def _cells(found: Found) -> Iterator[tuple[str, Cell]]:
    few, many = min(found.slots), max(found.slots)
    for count in found.slots:
        instances = counted(count, "instance")
        yield f"{instances}, until the start", found.rate(count)
        stored = found.cell(count, lambda slot: slot.stored_rate)
        yield f"{instances}, until the end", stored
        yield f"CPU of a run, {instances}, ms", found.cpu(count)
    yield "First start, s", found.cell(few, lambda slot: slot.first_start)
    yield "Last start, s", found.cell(few, lambda slot: slot.last_start)
    yield "Runs of each job", found.cell(many, lambda slot: slot.runs_of_each)


def _driven(found: Sequence[Found]) -> Iterator[str]:
    for each in found:
        if (peer := each.subject.peer) is not None:
            yield f"{peer.package}: {peer.driven}."


def _ahead(found: Sequence[Found]) -> Iterator[str]:
    """Say of each peer in what it is ahead, if it is."""
    ours, *others = found
    for each in others:
        if each.subject.peer is None:
            continue
        for count in each.slots:
            ratio = each.rate(count).over(ours.rate(count)).median
            if ratio > 1:
                yield (
                    f"{each.subject.name} is ahead with {counted(count, 'instance')}: "
                    f"{number(ratio)} times the runs a second."
                )
            elif each.span(count).median < ours.span(count).median:
                yield (
                    f"{each.subject.name}, once it has begun, takes less time from the "
                    f"first start to the last, with {counted(count, 'instance')}: "
                    f"{number(each.span(count).median)} s, and {ours.subject.name} "
                    f"{number(ours.span(count).median)} s."
                )


def _late(found: Sequence[Found], jobs: int) -> Iterator[str]:
    """Say who had not started all jobs while they were watched."""
    for each in found:
        for count in each.slots:
            started = each.cell(count, lambda slot: len(slot.started)).median
            if started < jobs:
                yield (
                    f"{each.subject.name} started {number(started)} of {jobs} jobs "
                    f"within {WATCHED:g} s, with {counted(count, 'instance')}."
                )


def _goals(found: Sequence[Found]) -> Iterator[Goal]:
    """Hold anarchon against each peer, by the instances with which it does worse."""
    ours, *others = found
    for each in others:
        if (peer := each.subject.peer) is None:
            continue
        ratios = {
            count: ours.rate(count).over(each.rate(count)).median
            for count in each.slots
        }
        count = min(ratios, key=ratios.__getitem__)
        yield Goal(
            text=(
                f"{ours.subject.name}: runs a second, as so many times those of "
                f"{each.subject.name}, with {counted(count, 'instance')}"
            ),
            measured=ratios[count],
            limit=FACTOR if peer is known.APSCHEDULER else 1.0,
            unit="times",
            at_least=True,
            holds_back=(
                f"{peer.spares} A run took {number(ours.cpu(count).median)} ms of CPU "
                f"of the instances, and {number(each.cpu(count).median)} ms there."
            ),
        )
