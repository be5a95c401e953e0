"""How long after its slot a handler starts.

Decides how many jobs there are, and which stores are looked at: the lease stores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import anyio

from benchmarks.effort import Effort
from benchmarks.latency.starts import PATIENCE, Plan, Starts, of_bare_tasks, of_jobs
from benchmarks.report import Answer, Cell, Goal, Plot, Row, Table
from benchmarks.stores import MEMORY, POSTGRES, REDIS, SQLITE
from benchmarks.words import counted, listed, number
from tests.servers.fleet import Fleet

TITLE = "How late a run starts"

FLOOR = "bare tasks"
STORES = (MEMORY, SQLITE, REDIS, POSTGRES)
AT_ONCE = (1, 100, 1_000, 10_000)
SPREAD = (100, 1_000, 10_000)
SECONDS = 10.0
WINDOW = 2.0
MS = 1e3

FIGURES: Mapping[str, Callable[[Starts], float]] = {
    "median": lambda starts: starts.percentile(50) * MS,
    "99th percentile": lambda starts: starts.percentile(99) * MS,
    "last": lambda starts: max(starts.late) * MS,
}
AT_ONCE_TEXT = f"""All jobs have the same slot: each start minus the slot, by the wall
clock, without jitter. One scheduler on asyncio, everything on one machine; what hasn't
started after {PATIENCE:g} seconds counts as that late. The floor is as many bare tasks
of such a loop that sleep until the same instant."""
SPREAD_TEXT = f"""The slots are spread evenly over {SECONDS:g} seconds; looked at are
all starts of the first {WINDOW:g}. The floor is as many bare tasks that sleep until the
same instants."""
TEXT = "Of the same starts."

# seconds: all of 10,000 jobs that are due at once are to have started by then
ALL_STARTED = {"memory": 1.0, "Redis `lease`": 2.5, "PostgreSQL": 5.0}
# milliseconds: the 99th percentile of so many jobs, spread
ON_TIME = 10.0
ON_TIME_JOBS = 1_000
WITH_GOAL = (
    Plan(jobs=max(AT_ONCE)),
    Plan(jobs=ON_TIME_JOBS, spread=SECONDS, window=WINDOW),
)

Found = Mapping[Plan, Mapping[str, Sequence[Starts]]]


def answer(effort: Effort) -> Answer:
    """Let the jobs of each plan become due on each store, and as bare tasks."""
    at_once = [Plan(jobs=jobs) for jobs in effort.of(AT_ONCE, (1, 100))]
    spread = [
        Plan(jobs=jobs, spread=SECONDS, window=effort.of(WINDOW, 0.2))
        for jobs in effort.of(SPREAD, (100,))
    ]
    with Fleet() as fleet, ExitStack() as stack:
        urls = {s.name: stack.enter_context(s.at_hand(fleet)) for s in STORES}
        once, even = (
            {plan: _measured(plan, urls, effort) for plan in plans}
            for plans in (at_once, spread)
        )
    return Answer(
        tables=[
            *_tables("Due at once", AT_ONCE_TEXT, once),
            *_tables(f"Spread over {SECONDS:g} seconds", SPREAD_TEXT, even),
        ],
        findings=[_once_finding(once), _even_finding(even)],
        goals=[*_start_goals(once), *_time_goals(even)],
        plots=[
            _plot("latency-at-once", "Jobs that are due at once", once),
            _plot("latency-spread", "Jobs spread over ten seconds", even),
        ],
    )


def _measured(
    plan: Plan, urls: Mapping[str, str], effort: Effort
) -> dict[str, list[Starts]]:
    def starts(url: str) -> Starts:
        return anyio.run(of_jobs, url, plan)

    def floor() -> Starts:
        return anyio.run(of_bare_tasks, plan)

    subjects = {name: partial(starts, url) for name, url in urls.items()}
    rounds = effort.for_goal if plan in WITH_GOAL else effort
    return rounds.alternate({FLOOR: floor, **subjects})


def _tables(title: str, text: str, found: Found) -> Iterator[Table]:
    subjects = next(iter(found.values()))
    for figure, of in FIGURES.items():
        rows = [
            Row(
                name=subject,
                cells={
                    counted(plan.jobs, "job"): _cell(rounds[subject], of)
                    for plan, rounds in found.items()
                },
            )
            for subject in subjects
        ]
        yield Table(
            title=f"{title}: {figure}",
            text=text,
            rows=rows,
            unit="milliseconds",
            floor=FLOOR,
        )
        text = TEXT


def _once_finding(found: Found) -> str:
    plan = _largest(found)
    each = _each(found[plan], FIGURES["last"])
    return f"Milliseconds until {counted(plan.jobs, 'job')} due at once start: {each}."


def _even_finding(found: Found) -> str:
    plan = _largest(found)
    each = _each(found[plan], FIGURES["99th percentile"])
    return (
        f"Milliseconds after their slots in which 99 of 100 start, when {plan.jobs:,} "
        f"are spread over {SECONDS:g} seconds: {each}."
    )


def _each(rounds: Mapping[str, Sequence[Starts]], of: Callable[[Starts], float]) -> str:
    return listed(
        [
            f"{number(_median(starts, of))} {'by' if subject == FLOOR else 'on'} "
            f"{subject}"
            for subject, starts in rounds.items()
        ]
    )


def _largest(found: Found) -> Plan:
    return max(found, key=lambda plan: plan.jobs)


def _start_goals(found: Found) -> Iterator[Goal]:
    plan = _largest(found)
    for store, limit in ALL_STARTED.items():
        rounds = found[plan][store]
        last = _cell(rounds, lambda starts: max(starts.late))
        cpu = _median(rounds, lambda starts: starts.cpu)
        yield Goal(
            text=f"{number(plan.jobs)} jobs due at once have all started on {store}",
            measured=last.median,
            rounds=last.values,
            limit=limit,
            unit="s",
            holds_back=(
                f"The scheduler's process was computing for {number(cpu)} s of it, "
                f"{number(cpu / plan.jobs * 1e6)} us for each job: by the last start "
                "nearly all the other runs have been written to their end, too."
            ),
        )


def _time_goals(found: Found) -> Iterator[Goal]:
    of = FIGURES["99th percentile"]
    for plan, rounds in found.items():
        for store in rounds:
            if plan.jobs == ON_TIME_JOBS and store != FLOOR:
                jobs = number(plan.jobs)
                late = _cell(rounds[store], of)
                yield Goal(
                    text=f"99 of 100 starts of {jobs} jobs, spread, on {store}",
                    measured=late.median,
                    rounds=late.values,
                    limit=ON_TIME,
                    unit="ms",
                )


def _cell(rounds: Sequence[Starts], of: Callable[[Starts], float]) -> Cell:
    return Cell(values=[of(starts) for starts in rounds])


def _median(rounds: Sequence[Starts], of: Callable[[Starts], float]) -> float:
    return _cell(rounds, of).median


def _plot(name: str, title: str, found: Found) -> Plot:
    subjects = next(iter(found.values()))
    return Plot(
        name=name,
        title=title,
        x="jobs",
        y="99th percentile of start minus slot, ms",
        lines={
            subject.replace("`", ""): [
                (plan.jobs, _median(rounds[subject], FIGURES["99th percentile"]))
                for plan, rounds in found.items()
            ]
            for subject in subjects
        },
    )
