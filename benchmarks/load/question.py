"""What instances ask of their store, for runs and while idle, and how it grows."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import anyio

from benchmarks.effort import Effort
from benchmarks.load.calls import JOBS, calls_of_a_run, calls_of_idle_instances
from benchmarks.load.growth import JOBS as FILLED
from benchmarks.load.growth import KEEP, Size, empty_stores, grow
from benchmarks.load.served import INSTANCES, Served, count_both
from benchmarks.report import Answer, Cell, Goal, Plot, Row, Table, once
from benchmarks.stores import REDIS
from benchmarks.words import counted, listed, number
from tests.servers.fleet import Fleet

TITLE = "Load on the store"
CALLS_TITLE = "Calls for each run"

MANY = (1, 3, 10, 50)
# seconds that a run takes
LENGTHS = SHORT, MEDIUM, LONG = (0.1, 1.0, 60.0)
RUNS = (1_000, 10_000, 100_000)
WORDS = {
    "claim": "claims",
    "check": "looks of backups",
    "heartbeat": "heartbeats",
    "finish": "finishes",
}
GOAL_FOR, GOAL = 3, 4.2
KILO = 1_000

Calls = Mapping[tuple[float, int], Mapping[str, float]]
Idle = Mapping[int, float]
Sizes = Mapping[str, Sequence[Size]]


def answer(effort: Effort) -> Answer:
    """Count calls on virtual time, and on a server; then fill stores."""
    many, runs = effort.of(MANY, MANY[:2]), effort.of(RUNS, RUNS[:1])
    calls = {(takes, k): calls_of_a_run(k, takes) for takes in LENGTHS for k in many}
    idle = {k: calls_of_idle_instances(k, minutes=10) for k in many}
    with Fleet() as fleet:
        with REDIS.at_hand(fleet) as url:
            served = anyio.run(count_both, url, effort.of(20.0, 2.0))
        sizes: dict[str, Sequence[Size]] = {}
        for name, store in empty_stores(fleet).items():
            with store as url:
                sizes[name] = anyio.run(grow, url, runs)
    return Answer(
        tables=[
            calls_table(calls, idle),
            idle_table(idle),
            served_table(served),
            size_table(sizes, runs),
        ],
        findings=[
            *(calls_finding(calls, takes) for takes in (SHORT, LONG)),
            idle_finding(idle),
            size_finding(sizes, runs),
        ],
        goals=[goal(calls)],
        plots=[calls_plot(calls), size_plot(sizes, runs)],
    )


def calls_finding(calls: Calls, takes: float) -> str:
    """Say how many calls a run takes that is so many seconds long."""
    each = [
        f"{number(sum(found.values()))} with {counted(k, 'instance')}"
        for (length, k), found in calls.items()
        if length == takes
    ]
    return f"Calls for each run of {takes:g} s: {listed(each)}."


def idle_finding(idle: Idle) -> str:
    """Say what is asked while nothing runs."""
    most = max(calls / k for k, calls in idle.items())
    return f"Calls of an idle instance: {number(most)} a minute."


def size_finding(sizes: Sizes, runs: Sequence[int]) -> str:
    """Say what is kept in the end."""
    each = [
        f"{number(found[-1].parts)} {parts_of(name)} and "
        f"{number(found[-1].bytes / KILO)} KB on {name}"
        for name, found in sizes.items()
    ]
    return f"Kept of {counted(runs[-1], 'run')}: {listed(each)}."


def calls_table(calls: Calls, idle: Idle) -> Table:
    """Show what each run costs the store."""
    return Table(
        title=CALLS_TITLE,
        text=(
            f"All calls of all instances, divided by the runs. {JOBS} jobs run once "
            "each within a minute, with the default options (lease 30 s, heartbeat "
            "5 s, jitter 2 s). Counted on the memory store and on virtual time, where "
            "nothing disturbs: the numbers are exact, and the same each time. Of calls "
            "that wait for each other in one instance, many may share a round trip or "
            "a transaction; they are counted as what they are."
        ),
        rows=[row for takes in LENGTHS for row in _rows(takes, calls)],
        unit="calls",
        notes=list(_notes(calls, idle)),
    )


def _rows(takes: float, calls: Calls) -> Iterator[Row]:
    each = {
        counted(k, "instance"): found
        for (length, k), found in calls.items()
        if length == takes
    }
    for word, title in WORDS.items():
        cells = {name: once(found.get(word, 0.0)) for name, found in each.items()}
        yield Row(name=row_name(takes, title), cells=cells)
    cells = {name: once(sum(found.values())) for name, found in each.items()}
    yield Row(name=row_name(takes, "all"), cells=cells)


def row_name(takes: float, title: str) -> str:
    """Return the name of the row for runs that take so many seconds."""
    return f"runs of {takes:g} s: {title}"


def _notes(calls: Calls, idle: Idle) -> Iterator[str]:
    few, many = min(idle), max(idle)
    for takes in LENGTHS:
        least, most = sum(calls[takes, few].values()), sum(calls[takes, many].values())
        each = (most - least) / (many - few)
        yield (
            f"With runs of {takes:g} s each further instance adds {number(each)} calls "
            "to a run: its own claim, and what it asks as a backup."
        )
    yield (
        "An instance that asks while the run goes on becomes its backup, and looks "
        "after it every one to two heartbeats. Where runs are shorter than the jitter, "
        "most ask when it is over, and are done by that one call."
    )


def idle_table(idle: Idle) -> Table:
    """Show what is asked while nothing runs."""
    return Table(
        title="Calls while idle",
        text=(
            f"{JOBS} jobs of which none is due. Each instance looks for unfinished "
            "runs of all its jobs once per lease (30 s), in one call; it goes on "
            "doing so while jobs run, and these calls are not in the table above."
        ),
        rows=[
            _idle_row("a minute", idle, lambda k: idle[k]),
            _idle_row("a minute, of each instance", idle, lambda k: idle[k] / k),
            _idle_row(
                f"for each run, at {JOBS} runs a minute", idle, lambda k: idle[k] / JOBS
            ),
        ],
        unit="calls",
    )


def _idle_row(name: str, idle: Idle, of: Callable[[int], float]) -> Row:
    return Row(name=name, cells={counted(k, "instance"): once(of(k)) for k in idle})


def served_table(served: Served) -> Table:
    """Show that what is counted is what a server gets."""
    same = "the same" if served.counted == served.served else "not the same"
    return Table(
        title="The same calls, counted by a server",
        text=(
            f"{INSTANCES} instances on a Redis server, in real time, from their start "
            "to their end, with runs that have backups. The server's own count is that "
            "of the scripts that it ran, by `INFO commandstats`."
        ),
        rows=[
            Row(
                name=counted(INSTANCES, "instance"),
                cells={
                    "counted as above": once(served.counted),
                    "scripts run by Redis": once(served.served),
                },
            )
        ],
        unit="calls",
        notes=[f"The two numbers are {same}."],
    )


def size_table(sizes: Sizes, runs: Sequence[int]) -> Table:
    """Show what is kept."""
    return Table(
        title="What a store keeps",
        text=(
            f"After so many runs of {FILLED} jobs, each claimed and finished at full "
            f"speed; {KEEP} records of each job are kept, as by default. Bytes are "
            "those of SQLite's files, with the log that is written ahead; of Redis's "
            "keys with what is in them, by `MEMORY USAGE`; of PostgreSQL's tables and "
            "indexes, by `pg_total_relation_size`, with what a vacuum leaves to be "
            "filled again. Here that server has `synchronous_commit=off`, and its "
            "autovacuum looks every second instead of every minute, since what else "
            "takes days takes a minute."
        ),
        rows=[
            Row(
                name=f"{name}, {what}",
                cells={
                    counted(count, "run"): cell
                    for count, cell in zip(runs, cells, strict=True)
                },
            )
            for name, found in sizes.items()
            for what, cells in _both(name, found)
        ],
    )


def _both(name: str, found: Sequence[Size]) -> Iterator[tuple[str, Sequence[Cell]]]:
    yield parts_of(name), [once(size.parts) for size in found]
    yield "KB", [once(size.bytes / KILO) for size in found]


def parts_of(name: str) -> str:
    """Return what a store of this name counts in."""
    return "keys" if name == "Redis" else "rows"


def goal(calls: Calls) -> Goal:
    """Hold the calls of short runs to their limit."""
    each = calls[SHORT, GOAL_FOR]
    parts = ", ".join(f"{WORDS[word]} {number(each[word])}" for word in sorted(each))
    return Goal(
        text=(
            f"store calls that {GOAL_FOR} instances make for a run of {SHORT:g} s in "
            "all, beside those that idle ones make too"
        ),
        measured=sum(each.values()),
        limit=GOAL,
        unit="calls",
        holds_back=f"They are: {parts}.",
    )


def calls_plot(calls: Calls) -> Plot:
    """Draw how calls grow with instances."""
    lines = {
        f"runs of {takes:g} s": [
            (float(k), sum(each.values()))
            for (length, k), each in calls.items()
            if length == takes
        ]
        for takes in LENGTHS
    }
    name, y = "load-calls", "calls"
    return Plot(name=name, title=CALLS_TITLE, x="instances", y=y, lines=lines)


def size_plot(sizes: Sizes, runs: Sequence[int]) -> Plot:
    """Draw how stores grow with runs."""
    lines = {
        name: [(float(r), s.bytes / KILO) for r, s in zip(runs, found, strict=True)]
        for name, found in sizes.items()
    }
    name, title = "load-growth", "What a store keeps"
    return Plot(name=name, title=title, x="runs", y="KB", lines=lines)
