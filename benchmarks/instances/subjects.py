"""What is run side by side: anarchon on each of its stores, and its peers.

Decides what stands in one table: whatever uses the same server.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.peers import known
from benchmarks.peers.known import Peer
from benchmarks.stores import MEMORY, POSTGRES, REDIS, STORES, Store

ANARCHON = [sys.executable, "-m", "benchmarks.peers.anarchon"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """A program and the server that it needs; ``options`` are those of its URL.

    One that is not ``shared`` keeps all in its process, so there is but one instance.
    """

    name: str
    command: Sequence[str]
    server: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    shared: bool = True
    prepare: bool = False
    peer: Peer | None = None


def ours(store: Store) -> Subject:
    """Return anarchon on this store."""
    return Subject(
        name=f"anarchon, {store.name}",
        command=ANARCHON,
        server=store.server,
        options=store.options,
        shared=store is not MEMORY,
    )


def theirs(peer: Peer) -> Subject:
    """Return a peer."""
    return Subject(
        name=peer.name,
        command=peer.command,
        server=peer.server,
        shared=peer.server is not None,
        prepare=peer.prepare,
        peer=peer,
    )


def in_one_process() -> Sequence[Subject]:
    """Return those without a store outside of the process."""
    return [ours(MEMORY), theirs(known.APSCHEDULER_MEMORY)]


def on_postgres() -> Sequence[Subject]:
    """Return those on PostgreSQL."""
    peers = (known.APSCHEDULER, known.PROCRASTINATE, known.PGQUEUER)
    return [ours(POSTGRES), *map(theirs, peers)]


def on_redis() -> Sequence[Subject]:
    """Return those on Redis."""
    return [ours(REDIS), *map(theirs, (known.STREAQ, known.ARQ, known.TASKIQ))]


def on_other_stores() -> Sequence[Subject]:
    """Return anarchon wherever no peer is."""
    return [ours(store) for store in STORES if store not in (MEMORY, POSTGRES, REDIS)]
