"""The table of round trips and bytes: each call of each server's store, counted.

Decides which calls are counted, and of what size their answers are.
"""

from collections.abc import Mapping, Sequence

import anyio

from anarchon.backends import backend_from
from anarchon.connecting import connected
from benchmarks.claim.wire import Meter, Traffic, metered
from benchmarks.claiming import KEEP, Call, Calls, Turns
from benchmarks.effort import Effort
from benchmarks.report import Cell, Row, Table
from benchmarks.stores import Store

CLAIMS = 50

TEXT = f"""Counted by a proxy between the store and its server, over {CLAIMS} calls of
each kind, one at a time. A round trip is a change of direction; there is none where the
store has the answer already, since it follows what the server tells it: what that
brings isn't in the row of the call. Calls that wait for each other in one instance
share round trips on PostgreSQL and Redis, so under load there are fewer. Bytes are
those of the connection, without the headers of the network; names and tokens are short
here: each byte more is a byte more. A taken slot is one that another instance has;
`history` reads {KEEP} records, `unfinished` one job with a run."""


def traffic_rows(store: Store, url: str, turns: Turns, effort: Effort) -> list[Row]:
    """Count the calls of a store; there are none of one without a server."""
    if store.server is None:
        return []
    return anyio.run(_rows, store, url, turns, effort.of(CLAIMS, 2))


def traffic_table(rows: Sequence[Row]) -> Table:
    """Return the table of what was counted."""
    return Table(title="On the wire", text=TEXT, rows=rows)


async def _rows(store: Store, url: str, turns: Turns, claims: int) -> list[Row]:
    async with (
        metered(url) as (through, meter),
        connected(backend_from(through)) as (bridge, opened),
    ):
        calls = Calls(bridge, opened, direct=False)
        await bridge.call(opened.prepare, turns.jobs)
        words = calls.by_word(leases=store.leases)
        found = await _counted(words, meter, turns, claims)
        if store.leases:
            found["release"] = await _releases(calls, meter, turns, claims)
    return [_row(f"{store.name}: {word}", traffic) for word, traffic in found.items()]


async def _counted(
    words: Mapping[str, Call], meter: Meter, turns: Turns, claims: int
) -> dict[str, Traffic]:
    found: dict[str, Traffic] = {}
    # in the last turn all connections and scripts are there, and histories full
    for _ in range(KEEP + 1):
        made = turns.next()[:claims]
        for word, call in words.items():
            found[word] = await meter.traffic_of(call, made)
    return found


async def _releases(calls: Calls, meter: Meter, turns: Turns, claims: int) -> Traffic:
    # last, since claims after it have to tell what became of these runs
    made = turns.next()[:claims]
    for claim in made:
        await calls.claim(claim)
    await calls.release(made[0])
    return await meter.traffic_of(calls.release, made[1:])


def _row(name: str, traffic: Traffic) -> Row:
    cells = {
        "round trips": Cell(values=[traffic.round_trips]),
        "bytes sent": Cell(values=[traffic.sent]),
        "bytes received": Cell(values=[traffic.received]),
    }
    return Row(name=name, cells=cells)
