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
    BY_CLIENT,
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
from benchmarks.floors import Opening
from benchmarks.report import Answer, Cell, Row, Table
from benchmarks.stores import STORES, Store
from benchmarks.words import counted
from tests.servers.fleet import Fleet

TITLE = "What a claim costs"

CLAIMS = 320
# where a goal hangs on it, chance must not decide
WITH_GOAL, ROUNDS_WITH_GOAL = 1_280, 11
LOOPS = {ASYNCIO: "asyncio", TRIO: "Trio"}
FIGURES: Mapping[str, tuple[str, Figure]] = {
    "Median": ("microseconds", median),
    "99th percentile": ("microseconds", p99),
    "Throughput": ("calls a second", rate),
}
FIRST_TEXT = f"""A claim asks the store for a run, a heartbeat pushes its lease forward,
a finish stores its end. So many callers do so at the same time, each of which calls
again as soon as it has its answer. The jobs are in use: their runs are finished, their
histories full. The floor is the least that one's own code could send in place of a
claim, on asyncio and through the same driver: a script that sets one key, over
connections without a client; a bare insert; a bare publish with its acknowledgement;
for memory, a key of a dictionary is set. Each bare call goes alone; but claims of one
instance that wait for a connection go together on PostgreSQL and Redis, and share a
transaction on SQLite, so that by many callers a claim may take less than its floor.
Servers are set up as they come, so PostgreSQL and SQLite sync each transaction to the
disk, but Redis syncs its file once a second. Each store takes turns with its floor,
{CLAIMS} calls each, or {WITH_GOAL:,} where there is a goal; one store is measured after
the other. Servers and callers share one machine."""
TEXT = "Of the same calls."
TRIO_TEXT = """Of the same calls, beside the floor on asyncio. The drivers know asyncio
alone, so on Trio they live in a thread with a loop of its own: a call takes two hops
between threads more."""
P99_TEXT = f"""Of the same calls. In each round {CLAIMS // 100} of {CLAIMS} calls took
longer than that, and {WITH_GOAL // 100} of {WITH_GOAL:,} where there is a goal."""


TEXTS = {
    ("Median", ASYNCIO): FIRST_TEXT,
    ("Median", TRIO): TRIO_TEXT,
    ("99th percentile", ASYNCIO): P99_TEXT,
}


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

    def bare(opening: Opening) -> Paces:
        return anyio.run(pace_of_floor, opening, url, turns.claims, callers)

    by_client = {BY_CLIENT: partial(bare, store.by_client)} if store.by_client else {}
    subjects: dict[str, Callable[[], Paces]] = {
        FLOOR: partial(bare, store.floor),
        **by_client,
        **{loop: partial(pace, loop, callers, direct=False) for loop in LOOPS},
        DIRECT: partial(pace, ASYNCIO, callers[:1], direct=True),
    }
    if not effort.quick:
        # scripts get known, and histories full
        Effort(rounds=1).alternate(subjects)
    return Found(rounds=effort.alternate(subjects))


def _tables(found: Mapping[Store, Found]) -> Iterator[Table]:
    for figure, (unit, of) in FIGURES.items():
        for loop, name in LOOPS.items():
            rows = [
                row for store in found for row in _rows(store, found[store], loop, of)
            ]
            title = f"{figure} on {name}"
            text = TEXTS.get((figure, loop), TEXT)
            yield Table(title=title, text=text, rows=rows, unit=unit)


def _rows(store: Store, found: Found, loop: str, of: Figure) -> Iterator[Row]:
    floor = f"{store.name}: floor"
    yield Row(name=floor, cells=_cells(found, FLOOR, FLOOR, of))
    if store.by_client and loop == ASYNCIO:
        cells = _cells(found, BY_CLIENT, FLOOR, of)
        yield Row(name=f"{store.name}: {BY_CLIENT}", cells=cells, floor=floor)
    for word in found.words(loop):
        cells = _cells(found, loop, word, of)
        yield Row(name=f"{store.name}: {word}", cells=cells, floor=floor)


def _cells(found: Found, subject: str, word: str, of: Figure) -> dict[str, Cell]:
    return {
        counted(many, "caller"): found.cell(subject, word, many, of)
        for many in found.callers_of(subject, word)
    }
