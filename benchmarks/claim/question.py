"""What a claim costs, and a heartbeat, and a finish, on each store.

Decides what is put side by side. The floor is the bare call of each store's floor, by
as many callers, on asyncio, in the same rounds.
"""

from collections.abc import Iterator, Mapping

from benchmarks.claim.findings import findings, goal, plot
from benchmarks.claim.found import Figure, Found, median, p99, rate
from benchmarks.claim.subjects import ASYNCIO, BY_CLIENT, FLOOR, TRIO, Session
from benchmarks.claim.traffic import traffic_rows, traffic_table
from benchmarks.claiming import CALLERS, MOST, Turns
from benchmarks.effort import Effort
from benchmarks.report import Answer, Cell, Row, Table
from benchmarks.stores import STORES, Store
from benchmarks.words import counted
from tests.servers.fleet import Fleet

TITLE = "What a claim costs"

# calls of a turn
CLAIMS = 320
# where a goal hangs on it, chance must not decide
TURNS_WITH_GOAL = 10
WITH_GOAL = TURNS_WITH_GOAL * CLAIMS
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
disk, but Redis syncs its file once a second. Each store takes turns with its floor, in
one process, of {CLAIMS} calls: in each round one turn, but {TURNS_WITH_GOAL} by 1
caller on asyncio where there is a goal. One store is measured after the other. Servers
and callers share one machine."""
TEXT = "Of the same calls."
TRIO_TEXT = """Of the same calls, beside the floor on asyncio. The drivers know asyncio
alone, so on Trio they live in a thread with a loop of its own: a call takes two hops
between threads more."""
P99_TEXT = f"""Of the same calls. In each round {CLAIMS // 100} of {CLAIMS} calls took
longer than that, and {WITH_GOAL // 100} of {WITH_GOAL:,} by 1 caller on asyncio where
there is a goal."""
RATE_TEXT = """Of the same calls. Here more is better: twice the floor is twice as
many."""
TEXTS = {
    ("Median", ASYNCIO): FIRST_TEXT,
    ("Median", TRIO): TRIO_TEXT,
    ("99th percentile", ASYNCIO): P99_TEXT,
    ("Throughput", ASYNCIO): RATE_TEXT,
}


def answer(effort: Effort) -> Answer:
    """Measure all stores, one after the other, each beside its floor."""
    found: dict[Store, Found] = {}
    traffic: list[Row] = []
    with Fleet() as fleet:
        for store in STORES:
            turns = Turns(effort.of(CLAIMS, MOST), leases=store.leases)
            with store.at_hand(fleet) as url:
                session = Session(store=store, url=url, turns=turns)
                found[store] = _measured(session, effort)
                traffic += traffic_rows(store, url, turns, effort)
    with_goals = {store: each for store, each in found.items() if store.goal}
    return Answer(
        tables=[*_tables(found), traffic_table(traffic)],
        findings=findings(with_goals),
        goals=[goal(store, each) for store, each in with_goals.items()],
        plots=[plot(found)],
    )


def _measured(session: Session, effort: Effort) -> Found:
    callers = effort.of(CALLERS, (MOST,))
    if effort.quick:
        return _rounds(session, dict.fromkeys(callers, 1), effort)
    # scripts get known, and histories full
    _rounds(session, dict.fromkeys(callers, 1), Effort(rounds=1))
    if not session.store.goal:
        return _rounds(session, dict.fromkeys(callers, 1), effort)
    turns = dict.fromkeys(callers, 1) | {min(callers): TURNS_WITH_GOAL}
    return _rounds(session, turns, effort.for_goal)


def _rounds(session: Session, turns: Mapping[int, int], effort: Effort) -> Found:
    found = effort.alternate(
        {
            ASYNCIO: lambda: session.on_asyncio(turns),
            TRIO: lambda: session.on_trio(dict.fromkeys(turns, 1)),
        }
    )
    rounds = [{**here, **away} for here, away in zip(*found.values(), strict=True)]
    return Found(rounds={name: [each[name] for each in rounds] for name in rounds[0]})


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
    floor = f"{store.name}: {FLOOR}"
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
