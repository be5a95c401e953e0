"""What a claim costs, and a heartbeat, and a finish, on each store.

Decides what is put side by side. The floor is the bare call of each store's floor, by
as many callers, on asyncio, in the same rounds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import anyio

from benchmarks.claim.findings import findings, goal, plot
from benchmarks.claim.found import (
    ASYNCIO,
    DIRECT,
    TRIO,
    Figure,
    Found,
    median,
    p99,
    rate,
)
from benchmarks.claim.traffic import traffic_rows, traffic_table
from benchmarks.claiming import (
    CALLERS,
    FLOOR,
    MOST,
    Paces,
    Turns,
    pace_of_floor,
    pace_of_store,
)
from benchmarks.effort import Effort
from benchmarks.report import Answer, Cell, Row, Table
from benchmarks.stores import STORES, Store
from benchmarks.words import counted
from tests.servers.fleet import Fleet

TITLE = "What a claim costs"

CLAIMS = 320
# where a goal hangs on it, chance must not decide
WITH_GOAL, ROUNDS_WITH_GOAL = 1_280, 9
LOOPS = {ASYNCIO: "asyncio", TRIO: "Trio"}
FIGURES: Mapping[str, tuple[str, Figure]] = {
    "Median": ("microseconds", median),
    "99th percentile": ("microseconds", p99),
    "Throughput": ("calls a second", rate),
}
FIRST_TEXT = """A claim asks the store for a run, a heartbeat pushes its lease forward,
a finish stores its end. So many callers do so at the same time, each of which calls
again as soon as it has its answer. The jobs are in use: their runs are finished, their
histories full. The floor is what one's own code would send in place of a claim, on
asyncio and through the same driver, with its client as it comes: a script that sets one
key, a bare insert, a bare publish with its acknowledgement; for memory, a key of a
dictionary is set. It is no limit: a store that talks to its server more directly than
that client, or puts calls together, comes close to it or below. Each store takes turns
with its floor; one store is measured after the other. Servers and callers share one
machine."""
TEXT = "Of the same calls."


def answer(effort: Effort) -> Answer:
    """Measure all stores, one after the other, each beside its floor."""
    found: dict[Store, Found] = {}
    traffic: list[Row] = []
    with Fleet() as fleet:
        for store in STORES:
            usual = WITH_GOAL if store.goal else CLAIMS
            turns = Turns(effort.of(usual, MOST), leases=store.leases)
            with store.at_hand(fleet) as url:
                found[store] = _measured(store, url, turns, _effort(store, effort))
                traffic += traffic_rows(store, url, turns, effort)
    with_goals = {store: each for store, each in found.items() if store.goal}
    return Answer(
        tables=[*_tables(found), traffic_table(traffic)],
        findings=findings(with_goals),
        goals=[goal(store, each) for store, each in with_goals.items()],
        plots=[plot(found)],
    )


def _effort(store: Store, effort: Effort) -> Effort:
    if store.goal and not effort.quick:
        return Effort(rounds=ROUNDS_WITH_GOAL)
    return effort


def _measured(store: Store, url: str, turns: Turns, effort: Effort) -> Found:
    callers = effort.of(CALLERS, (MOST,))
    words = ("claim", *(("heartbeat",) if store.leases else ()), "finish")

    def pace(loop: str, callers: Sequence[int], direct: bool) -> Paces:
        return anyio.run(
            pace_of_store, url, turns, callers, words, direct, backend=loop
        )

    def floor() -> Paces:
        return anyio.run(pace_of_floor, store.floor, url, turns.claims, callers)

    subjects: dict[str, Callable[[], Paces]] = {
        FLOOR: floor,
        **{loop: partial(pace, loop, callers, direct=False) for loop in LOOPS},
        DIRECT: partial(pace, ASYNCIO, callers[:1], direct=True),
    }
    if not effort.quick:
        # scripts get known, and histories full
        Effort(rounds=1).alternate(subjects)
    return Found(rounds=effort.alternate(subjects))


def _tables(found: Mapping[Store, Found]) -> Iterator[Table]:
    text = FIRST_TEXT
    for figure, (unit, of) in FIGURES.items():
        for loop, name in LOOPS.items():
            rows = [
                row for store in found for row in _rows(store, found[store], loop, of)
            ]
            title = f"{figure} on {name}"
            yield Table(title=title, text=text, rows=rows, unit=unit)
            text = TEXT


def _rows(store: Store, found: Found, loop: str, of: Figure) -> Iterator[Row]:
    floor = f"{store.name}: floor"
    yield Row(name=floor, cells=_cells(found, FLOOR, FLOOR, of))
    for word in found.words(loop):
        cells = _cells(found, loop, word, of)
        yield Row(name=f"{store.name}: {word}", cells=cells, floor=floor)


def _cells(found: Found, subject: str, word: str, of: Figure) -> dict[str, Cell]:
    return {
        counted(many, "caller"): found.cell(subject, word, many, of)
        for many in found.callers_of(subject, word)
    }
