"""What a claim costs, and a heartbeat, and a finish, on each store.

Decides what is put side by side. The floor is the bare call of each store's floor, by
as many callers, on asyncio, in the same rounds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import anyio

from benchmarks.claim.traffic import traffic_rows, traffic_table
from benchmarks.claiming import (
    CALLERS,
    FLOOR,
    MOST,
    Pace,
    Paces,
    Turns,
    pace_of_floor,
    pace_of_store,
)
from benchmarks.effort import Effort
from benchmarks.report import Answer, Cell, Goal, Plot, Row, Table
from benchmarks.stores import STORES, Store
from benchmarks.words import counted, number
from tests.servers.fleet import Fleet

TITLE = "What a claim costs"

CLAIMS = 320
LOOPS = {"asyncio": "asyncio", "trio": "Trio"}
DIRECT = "direct"
US = 1e6
FIGURES: Mapping[str, tuple[str, Callable[[Pace], float]]] = {
    "Median": ("microseconds", lambda pace: pace.median * US),
    "99th percentile": ("microseconds", lambda pace: pace.p99 * US),
    "Throughput": ("calls a second", lambda pace: pace.rate),
}
FIRST_TEXT = """By so many callers, each of which calls again as soon as it has its
answer. The jobs are in use: their runs are finished, their histories full. The floor is
what the same store could be asked for at least, through the same driver on asyncio: a
script that sets one key, a bare insert, a bare publish with its acknowledgement, for
memory a key of a dictionary. Everything runs on one machine."""
TEXT = "Of the same calls."

# what each subject came to in each round
Found = Mapping[str, Sequence[Paces]]


def answer(effort: Effort) -> Answer:
    """Measure all stores, one after the other, each beside its floor."""
    found: dict[Store, Found] = {}
    traffic: list[Row] = []
    claims = effort.of(CLAIMS, MOST)
    with Fleet() as fleet:
        for store in STORES:
            turns = Turns(claims, leases=store.leases)
            with store.at_hand(fleet) as url:
                found[store] = _measured(store, url, turns, effort)
                traffic += traffic_rows(store, url, turns, effort)
    return Answer(
        tables=[*_tables(found), traffic_table(traffic)],
        goals=[_goal(store, found[store]) for store in STORES if store.goal],
        plots=[_plot(found)],
    )


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
        DIRECT: partial(pace, "asyncio", callers[:1], direct=True),
    }
    if not effort.quick:
        # scripts get known, and histories full
        Effort(rounds=1).alternate(subjects)
    return effort.alternate(subjects)


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


def _rows(
    store: Store, found: Found, loop: str, of: Callable[[Pace], float]
) -> Iterator[Row]:
    floor = f"{store.name}: floor"
    yield Row(name=floor, cells=_cells(found[FLOOR], FLOOR, of))
    for word in dict.fromkeys(word for word, _ in found[loop][0]):
        cells = _cells(found[loop], word, of)
        yield Row(name=f"{store.name}: {word}", cells=cells, floor=floor)


def _cells(
    rounds: Sequence[Paces], word: str, of: Callable[[Pace], float]
) -> dict[str, Cell]:
    callers = [many for each, many in rounds[0] if each == word]
    return {
        counted(many, "caller"): _cell(rounds, (word, many), of) for many in callers
    }


def _cell(
    rounds: Sequence[Paces], key: tuple[str, int], of: Callable[[Pace], float]
) -> Cell:
    return Cell(values=[of(paces[key]) for paces in rounds])


def _goal(store: Store, found: Found) -> Goal:
    assert store.goal is not None
    callers = min(many for _, many in found[FLOOR][0])
    floor, direct, claim = (
        _cell(found[subject], (word, callers), lambda pace: pace.median * US)
        for subject, word in (
            (FLOOR, FLOOR),
            (DIRECT, "claim"),
            ("asyncio", "claim"),
        )
    )
    added = Cell(
        values=[c - d for c, d in zip(claim.values, direct.values, strict=True)]
    )
    return Goal(
        text=f"a claim on {store.name} by one caller on asyncio, in times its floor",
        measured=claim.over(floor).median,
        limit=store.goal,
        holds_back=(
            f"The store's own call takes {number(direct.over(floor).median)} times the "
            f"floor; a task of its own for each call, which keeps the answer when the "
            f"caller is cancelled, adds {number(added.median)} us"
        ),
    )


def _plot(found: Mapping[Store, Found]) -> Plot:
    return Plot(
        name="claim",
        title="Claims a second on asyncio",
        x="callers",
        y="claims a second",
        lines={
            store.name.replace("`", ""): [
                (many, _cell(rounds["asyncio"], (word, many), lambda p: p.rate).median)
                for word, many in rounds["asyncio"][0]
                if word == "claim"
            ]
            for store, rounds in found.items()
        },
    )
