"""How many runs a second go through the whole path, here and in other packages.

Decides what is put side by side. The path is a timer, a claim, a handler that does
nothing, its end, and the record of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
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
from benchmarks.peers.program import AT_ONCE, CONNECTIONS
from benchmarks.report import Answer, Cell, Row, Table
from benchmarks.run.findings import ahead, finding, goals, late
from benchmarks.run.found import Found
from benchmarks.run.slots import WATCHED, Slots
from benchmarks.words import counted
from tests.servers.fleet import Fleet

TITLE = "Runs a second"

JOBS = 500
FEW = 20
COUNTS = (1, 3)
# of anarchon, on stores that peers use as well
GROWING = (1, 2, 3)

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
start tells, with one instance, and the runs a second from the first start to the last.
Each instance of anarchon asks for each slot and one of them wins, so more of them make
a service safer, not faster; here they share the cores with their server, too. The CPU
of a run is that of all instances together, with what they do while they wait, and that
of their server. Instances are processes of their own, beside the server, which is
emptied before each slot. Starts are watched for {WATCHED:g} s. An instance has up to
{AT_ONCE} runs at once and {CONNECTIONS} connections, where it can be told so; anarchon
has no limit of runs, as many connections as it comes with, and no jitter. All run on
plain asyncio, and keep the result of each run if they can."""
LIKEWISE = "The same jobs, likewise."


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
        tables=[
            *(_table(name, found, jobs) for name, found in groups.items()),
            _growth_table(groups.values()),
        ],
        findings=[
            finding(name, found) for name, found in groups.items() if _peers(found)
        ],
        ahead=[each for found in groups.values() for each in ahead(found)],
        goals=[goal for found in groups.values() for goal in goals(found)],
    )


def _measured(
    subjects: Sequence[Subject], slots: Slots, effort: Effort
) -> Sequence[Found]:
    beside_peers = any(subject.peer for subject in subjects)
    counts = {
        subject.name: _counts(subject, beside_peers, effort) for subject in subjects
    }
    turns = {
        f"{subject.name} {count}": partial(slots.slot, subject, count)
        for subject in subjects
        for count in counts[subject.name]
    }
    found = (effort.for_goal if beside_peers else effort).alternate(turns)
    return [
        Found(subject=subject, slots={n: found[f"{name} {n}"] for n in counts[name]})
        for subject in subjects
        for name in [subject.name]
    ]


def _counts(subject: Subject, beside_peers: bool, effort: Effort) -> Sequence[int]:
    if effort.quick or not subject.shared:
        return COUNTS[:1]
    return GROWING if beside_peers and subject.peer is None else COUNTS


def _peers(found: Sequence[Found]) -> bool:
    return any(each.subject.peer for each in found)


def _table(name: str, found: Sequence[Found], jobs: int) -> Table:
    text = TEXT.format(jobs=jobs) if name == next(iter(GROUPS)) else LIKEWISE
    return Table(
        title=name,
        text=" ".join([text, *_driven(found)]),
        rows=[Row(name=each.name, cells=dict(_cells(each))) for each in found],
        unit="runs a second",
        notes=[*(f"{each}." for each in ahead(found)), *late(found, jobs)],
    )


def _cells(found: Found) -> Iterator[tuple[str, Cell]]:
    few, many = min(found.slots), max(found.slots)
    for count in [count for count in COUNTS if count in found.slots]:
        instances = counted(count, "instance")
        yield f"{instances}, until the start", found.rate(count)
        stored = found.cell(count, lambda slot: slot.stored_rate)
        yield f"{instances}, until the end", stored
        yield f"{instances}, once begun", found.rate_once_begun(count)
        yield cpu_title(count), found.cpu(count)
        if found.subject.server:
            yield f"of the server, {instances}, ms", found.server_cpu(count)
    yield f"First start, {counted(few, 'instance')}, s", found.first_start(few)
    yield f"Last start, {counted(few, 'instance')}, s", found.last_start(few)
    yield "Runs of each job", found.cell(many, lambda slot: slot.runs_of_each)


def _growth_table(groups: Iterable[Sequence[Found]]) -> Table:
    growing = [
        each for found in groups for each in found if len(each.slots) > len(COUNTS)
    ]
    return Table(
        title="By instances",
        text="Those of anarchon until the last start, by how many ask for each slot.",
        rows=[
            Row(
                name=each.name,
                cells={counted(n, "instance"): each.rate(n) for n in each.slots},
            )
            for each in growing
        ],
        unit="runs a second",
    )


def cpu_title(count: int) -> str:
    """Return the column of what a run takes of so many instances' processors."""
    return f"CPU of a run, {counted(count, 'instance')}, ms"


def _driven(found: Sequence[Found]) -> Iterator[str]:
    for each in found:
        if (peer := each.subject.peer) is not None:
            yield f"{peer.package}: {peer.driven}."
