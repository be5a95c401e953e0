"""What a store holds after many runs.

Decides how it is filled, by the store's own calls at full speed, and what counts.
"""

# asyncpg brings no types, redis few
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import sqlite3
import tempfile
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import asyncpg  # type: ignore[import-untyped]
from redis.asyncio import Redis

from anarchon.backends import backend_from
from anarchon.connecting import connected
from anarchon.protocol import Claim
from benchmarks.claiming import Calls, Turns
from benchmarks.stores import NAMESPACE, POSTGRES, REDIS
from tests.servers.fleet import Fleet

JOBS = 10
# records of each job, as by default
KEEP = 100
# nothing waits for a disk, and what months would bring comes in a minute: so the
# server looks for what to vacuum every second
HURRIED = {"synchronous_commit": "off", "autovacuum_naptime": "1"}
IN_MEMORY = Path("/dev/shm")  # noqa: S108  only if it is there

SQLITE_ROWS = " UNION ALL ".join(
    f"SELECT count(*) FROM {NAMESPACE}_{table}"  # noqa: S608  nobody else's words
    for table in ("jobs", "runs", "records")
)
POSTGRES_ROWS = (
    f"SELECT (SELECT count(*) FROM {NAMESPACE}.runs)"  # noqa: S608  as above
    f" + (SELECT count(*) FROM {NAMESPACE}.records)"
)
POSTGRES_BYTES = (
    "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = $1::regnamespace"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a store holds: rows in all tables, or keys, or whatever it counts in."""

    parts: int
    bytes: int


def empty_stores(fleet: Fleet) -> Mapping[str, AbstractContextManager[str]]:
    """Return the stores by name; entering one starts it and yields its URL."""
    return {
        "SQLite": _sqlite(),
        "Redis": REDIS.at_hand(fleet),
        "PostgreSQL": replace(POSTGRES, settings=HURRIED).at_hand(fleet),
    }


async def grow(url: str, counts: Sequence[int]) -> list[Size]:
    """Return the size of an empty store after so many runs, in all."""
    turns, backend = Turns(JOBS, leases=True), backend_from(url)
    size_of, sizes = _SIZES[backend.name], list[Size]()
    async with connected(backend) as (bridge, store):
        calls = Calls(bridge, store, direct=True)
        await store.prepare(turns.jobs)
        done = 0
        for runs in counts:
            for _ in range(done, runs, JOBS):
                await _run_each(calls, turns.next())
            done = runs
            sizes.append(await size_of(url))
    return sizes


@contextmanager
def _sqlite() -> Generator[str]:
    place = IN_MEMORY if IN_MEMORY.exists() else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield f"sqlite:///{folder}/store.db?namespace={NAMESPACE}"


async def _run_each(calls: Calls, claims: Sequence[Claim]) -> None:
    async def run(claim: Claim) -> None:
        await calls.claim(claim)
        await calls.finish(claim)

    async with anyio.create_task_group() as group:
        for claim in claims:
            group.start_soon(run, replace(claim, keep=KEEP))


async def _in_sqlite(url: str) -> Size:
    path = Path(url.removeprefix("sqlite:///").partition("?")[0])
    with closing(sqlite3.connect(path)) as connection:
        rows = sum(int(row[0]) for row in connection.execute(SQLITE_ROWS))
    # the log that is written ahead is another file
    files = path.parent.glob(f"{path.name}*")
    return Size(parts=rows, bytes=sum(file.stat().st_size for file in files))


async def _in_redis(url: str) -> Size:
    async with Redis.from_url(url.partition("?")[0]) as client:
        keys = [key async for key in client.scan_iter(f"{NAMESPACE}:*")]
        # samples=0: all that is in it
        used = [await client.memory_usage(key, samples=0) for key in keys]
    return Size(parts=len(keys), bytes=sum(size or 0 for size in used))


async def _in_postgres(url: str) -> Size:
    connection = await asyncpg.connect(url.partition("?")[0])
    rows = await connection.fetchval(POSTGRES_ROWS)
    used = await connection.fetchval(POSTGRES_BYTES, NAMESPACE)
    await connection.close()
    return Size(parts=rows, bytes=used)


_SIZES: Mapping[str, Callable[[str], Coroutine[None, None, Size]]] = {
    "sqlite": _in_sqlite,
    "redis": _in_redis,
    "postgresql": _in_postgres,
}
