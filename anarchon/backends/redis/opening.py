"""How the store is opened: the client, a look at the server, the lanes.

Decides how many connections are used for what. Must not know what is asked of a store.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

from anarchon.backends.address import Address, reaching
from anarchon.backends.clock import StoreClock
from anarchon.backends.redis.client import Lines, Source, opened
from anarchon.backends.redis.keys import Keys
from anarchon.backends.redis.lane import Lane
from anarchon.backends.redis.scripts import scripts_of
from anarchon.backends.redis.server import Server
from anarchon.backends.redis.store import Lanes, RedisClaimStore, RedisLeaseStore
from anarchon.backends.redis.strategy import Strategy
from anarchon.bridge import Bridge

JOBS_AT_ONCE = 500


class Widths(NamedTuple):
    """Lines for ``work`` and ``beats`` at most, and scripts that share one of them."""

    work: int
    beats: int
    together: int


# what waits shares a line of one's own; over a client's, scripts go one by one
OWN = Widths(work=2, beats=2, together=32)
CLIENT = Widths(work=16, beats=4, together=1)


@asynccontextmanager
async def open_store(
    source: Source,
    keys: Keys,
    bridge: Bridge | None,
    clock: StoreClock | None,
) -> AsyncGenerator[RedisClaimStore]:
    """Connect, look at the server, yield the store, and close what was opened.

    Cancelled while opening, nothing has changed on the server.

    Raises:
        BackendUnavailable: the server can't be reached or used.
        BackendTooOld: it lacks what the strategy needs.
        InvalidOption: the client lives in another loop than the running one.
    """
    address = source if isinstance(source, Address) else "the Redis server"
    async with opened(source, bridge) as lines:
        lanes = _lanes_of(lines)
        with reaching(address):
            info = await lanes.beats.info()
        server = Server(info=info, address=str(address), alone=not lines.cluster)
        server.check(keys.strategy)
        leases = keys.strategy is Strategy.LEASE
        kind = RedisLeaseStore if leases else RedisClaimStore
        yield kind(lanes, keys, scripts_of(keys.strategy), clock)


def _lanes_of(lines: Lines) -> Lanes:
    """Return lanes that together want no more connections than there may be."""
    work, beats, together = OWN if lines.shared else CLIENT
    if lines.size:
        beats = min(beats, max(lines.size // 4, 1))
        work = min(work, lines.size - beats)
    lane = partial(Lane, lines.another, together=together)
    first = lane(width=beats)
    return Lanes(
        work=lane(width=work) if work else first,
        beats=first,
        # the jobs of a cluster lie on different nodes
        jobs_at_once=1 if lines.cluster else JOBS_AT_ONCE,
    )
