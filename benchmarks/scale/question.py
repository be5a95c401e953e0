"""How the answers grow with jobs, instances and runs, and what one server carries.

Decides how what the other questions found is put together. It measures one thing: what
a call costs a server.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import anyio

from benchmarks.claiming import MOST
from benchmarks.effort import Effort
from benchmarks.load.question import LONG, MANY, SHORT
from benchmarks.report import RESULTS, Answer, Cell, Report, Row, Table, once
from benchmarks.run.question import TITLE as RUN_TITLE
from benchmarks.scale.capacity import US, capacity
from benchmarks.scale.series import BY, Series, series_of
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
    load = next((r.answer for r in reports if r.question == "load"), None)
    return Answer(
        tables=[
            growth_table(reports),
            *(exponents_table(r) for r in reports if any(series_of(r.answer))),
            cost_table(costs),
            capacity_table(costs, load),
        ],
        findings=[capacity_finding(costs, load)],
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
            "number in its columns; here the least and the greatest of all rows."
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
            f"system's own account, divided by the calls; with {MOST} callers at once. "
            "What the client takes isn't in it, nor what the server waits for."
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


def capacity_table(costs: Costs, load: Answer | None) -> Table:
    """Show how many runs a second one server carries, on paper."""
    return Table(
        title="What a server carries, on paper",
        text=(
            "Runs a second at which one core of the server would be busy all the time: "
            "a second, divided by what the calls of a run cost together. How many "
            "calls a run needs is in the table of the load; a backup's look is taken "
            "for a claim that is refused. Redis uses one core for scripts; PostgreSQL "
            "uses what there are, if its disk keeps pace. It is the server's side "
            "alone: each instance asks for each slot, so none of them carries more "
            f"than it has CPU for, which is in “{RUN_TITLE}”, however large the "
            "server is."
        ),
        rows=[
            _capacities(store, _medians(rounds), load, takes)
            for store, rounds in costs.items()
            for takes in (SHORT, LONG)
        ],
        unit="runs a second",
        notes=list(_arithmetic(costs, load)),
    )


def _medians(rounds: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    return {word: Cell(values=[each[word] for each in rounds]).median for word in WORDS}


def capacity_finding(costs: Costs, load: Answer | None) -> str:
    """Say what one server carries of short runs."""
    found = {
        store: capacity(load, _medians(rounds), SHORT, EXAMPLE)
        for store, rounds in costs.items()
    }
    each = [f"{number(paper.runs)} on {s}" for s, paper in found.items() if paper]
    return (
        f"On paper, runs of {SHORT:g} s a second that one core of the server alone "
        f"carries with {counted(EXAMPLE, 'instance')}: "
        f"{listed(each or [NOT_MEASURED])}; an instance carries fewer."
    )


def _capacities(
    store: str, seconds: Mapping[str, float], load: Answer | None, takes: float
) -> Row:
    cells: dict[str, Cell | str] = {}
    for many in MANY:
        found = capacity(load, seconds, takes, many)
        cells[counted(many, "instance")] = once(found.runs) if found else NOT_MEASURED
    return Row(name=f"{store}: runs of {takes:g} s", cells=cells)


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
