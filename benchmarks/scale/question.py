"""How the answers grow with jobs, instances and runs, and what one server carries.

Decides how what the other questions found is put together. It measures one thing: what
a call costs a server.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import anyio

from benchmarks.claiming import MOST
from benchmarks.effort import Effort
from benchmarks.instances.subjects import ours
from benchmarks.load.question import LONG, MANY, SHORT
from benchmarks.report import RESULTS, Answer, Cell, Report, Row, Table, once
from benchmarks.run.question import TITLE as RUN_TITLE
from benchmarks.scale.capacity import US, capacity, runs_of_instances, server_row
from benchmarks.scale.series import BY, ENOUGH, Series, series_of
from benchmarks.scale.served_time import WORDS, served_seconds
from benchmarks.stores import NAMESPACE, POSTGRES, REDIS, Store
from benchmarks.words import counted, listed, number
from tests.servers.fleet import Fleet

TITLE = "How it all grows"

GROWING = ("run", "latency", "takeover", "load", "process")
NOT_MEASURED = "not measured"
STORES = (REDIS, POSTGRES)
TURNS = 3
EXAMPLE = 3
MINUTE = 60

# seconds of each call, in each round, by the store's name
Costs = Mapping[str, Sequence[Mapping[str, float]]]


def answer(effort: Effort) -> Answer:
    """Fit what the other questions found, and add it up with what calls cost."""
    files = {name: RESULTS / f"{name}.json" for name in GROWING}
    reports = [Report.read(file) for file in files.values() if file.exists()]
    costs = effort.alternate(
        {store.name: partial(_cost, store, effort.of(TURNS, 1)) for store in STORES}
    )
    load, run = (
        next((r.answer for r in reports if r.question == name), None)
        for name in ("load", "run")
    )
    return Answer(
        tables=[
            growth_table(reports),
            *(exponents_table(r) for r in reports if any(series_of(r.answer))),
            cost_table(costs),
            capacity_table(costs, load, run),
        ],
        findings=[capacity_finding(costs, load, run)],
    )


def _cost(store: Store, turns: int) -> Mapping[str, float]:
    assert store.server is not None
    with Fleet() as fleet, fleet.fresh(store.server, settings=store.settings) as server:
        url = f"{server.url}?namespace={NAMESPACE}"
        return anyio.run(served_seconds, url, server.pid, turns)


def growth_table(reports: Sequence[Report]) -> Table:
    """Show between which exponents each question's figures are."""
    series = {report.title: list(series_of(report.answer)) for report in reports}
    return Table(
        title="Exponents in short",
        text=(
            "A figure that grows as the power e of a number has the exponent e: 0 is "
            "flat, 1 proportional. Fitted by least squares, with both axes "
            "logarithmic, to the medians of each row of a table above that has the "
            f"number in its columns, at {ENOUGH} or more places; here the least and "
            "the greatest of all rows."
        ),
        rows=[
            Row(name=name, cells={by: _range(found, by) for by in BY.values()})
            for name, found in series.items()
        ],
        unit="question",
    )


def _range(series: Sequence[Series], by: str) -> str:
    found = [each.exponent for each in series if each.by == by]
    if not found:
        return NOT_MEASURED
    return f"{min(found):.2f} to {max(found):.2f} ({len(found)} rows)"


def exponents_table(report: Report) -> Table:
    """Show the exponent of each row of a question's tables."""
    return Table(
        title=f"Exponents: {report.title[0].lower()}{report.title[1:]}",
        text=(
            "Of all points, and between the last two; and how many times as much the "
            "last figure is as the first."
        ),
        rows=[_exponents(series) for series in series_of(report.answer)],
    )


def _exponents(series: Series) -> Row:
    (first, least), *_, (last, most) = series.points
    cells: Mapping[str, Cell | str] = {
        "by": f"{series.by}, {number(first)} to {number(last)}",
        "exponent": f"{series.exponent:.2f}",
        "at the end": f"{series.last_exponent:.2f}",
        "times": once(most / least),
    }
    return Row(name=series.name, cells=cells)


def cost_table(costs: Costs) -> Table:
    """Show what each call costs a server."""
    return Table(
        title="What a call costs a server",
        text=(
            "The time that the server's processes were on a processor, by the "
            f"system's own account, divided by the calls; with {MOST} callers at once, "
            "whose calls go together as those of a busy instance do: one that goes "
            "alone costs more. What the client takes isn't in it, nor what the server "
            "waits for."
        ),
        rows=[
            Row(
                name=store,
                cells={
                    word: Cell(values=[seconds[word] * US for seconds in rounds])
                    for word in WORDS
                },
            )
            for store, rounds in costs.items()
        ],
        unit="microseconds",
    )


def capacity_table(costs: Costs, load: Answer | None, run: Answer | None) -> Table:
    """Show how many runs a second a server carries and its instances, on paper."""
    return Table(
        title="What a server carries, on paper",
        text=(
            "Runs a second at which one core of the server would be busy all the time: "
            "a second, divided by what the calls of a run cost together. How many "
            "calls a run needs is in the table of the load; a backup's look is taken "
            "for a claim that is refused. Redis uses one core for scripts; PostgreSQL "
            "uses what there are, if its disk keeps pace. Below it, at which rate each "
            "instance would be busy all the time, if each had a core of its own: by "
            f"the CPU of a run in “{RUN_TITLE}”, of which an instance that doesn't win "
            "takes what one more adds. Each instance asks for each slot, so the lesser "
            "of both is what there is, however many instances there are."
        ),
        rows=[
            row
            for store, rounds in costs.items()
            for row in (
                *(_served(store, rounds, load, takes) for takes in (SHORT, LONG)),
                _run_by_instances(store, run),
            )
        ],
        unit="runs a second",
        notes=list(_arithmetic(costs, load)),
    )


def _medians(rounds: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    return {word: Cell(values=[each[word] for each in rounds]).median for word in WORDS}


def capacity_finding(costs: Costs, load: Answer | None, run: Answer | None) -> str:
    """Say what a server and its instances carry of short runs, and which limits."""
    each = [
        f"{number(runs)} on {store}, by {what}"
        for store, rounds in costs.items()
        for runs, what in sorted(_limits(store, _medians(rounds), load, run))[:1]
    ]
    return (
        f"Short runs a second that {counted(EXAMPLE, 'instance')} and one core of the "
        f"server carry, on paper: {listed(each or [NOT_MEASURED])}."
    )


def _limits(
    store: str, seconds: Mapping[str, float], load: Answer | None, run: Answer | None
) -> Sequence[tuple[float, str]]:
    served = capacity(load, seconds, SHORT, EXAMPLE)
    computed = runs_of_instances(run, _subject(store), EXAMPLE)
    if served is None or computed is None:
        return []
    return [(served.runs, "the server"), (computed, "an instance's core")]


def _served(
    store: str,
    rounds: Sequence[Mapping[str, float]],
    load: Answer | None,
    takes: float,
) -> Row:
    cells: dict[str, Cell | str] = {}
    for many in MANY:
        each = [capacity(load, seconds, takes, many) for seconds in rounds]
        found = [paper.runs for paper in each if paper]
        cells[counted(many, "instance")] = Cell(values=found) if found else NOT_MEASURED
    return Row(name=server_row(store, takes), cells=cells)


def _run_by_instances(store: str, run: Answer | None) -> Row:
    cells: dict[str, Cell | str] = {}
    for many in MANY:
        found = runs_of_instances(run, _subject(store), many)
        cells[counted(many, "instance")] = once(found) if found else NOT_MEASURED
    return Row(name=f"{store}, each instance: short runs", cells=cells)


def _subject(store: str) -> str:
    return next(ours(each).name for each in STORES if each.name == store)


def _arithmetic(costs: Costs, load: Answer | None) -> Iterator[str]:
    for store, rounds in costs.items():
        for takes in (SHORT, LONG):
            found = capacity(load, _medians(rounds), takes, EXAMPLE)
            if found is not None:
                yield (
                    f"{store}, {EXAMPLE} instances, runs of {takes:g} s: {found} runs "
                    f"a second, as many as {number(found.runs * MINUTE)} jobs have "
                    "that run once a minute."
                )
