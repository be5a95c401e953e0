"""Opening a store: from a URL, a factory or a user's pool to two lanes to the server.

Decides how many connections a store has, and whose they are to close. Must not know
the steps.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import cast

from anarchon.backends.address import Address, reaching
from anarchon.backends.clients import check_home
from anarchon.backends.postgres.driver import Pool, is_pool, loop_of
from anarchon.backends.postgres.lane import Lane
from anarchon.backends.postgres.schema import set_up
from anarchon.backends.postgres.sources import CLOSE_WITHIN, Lent, Made
from anarchon.backends.postgres.sql import Schema
from anarchon.backends.postgres.store import PostgresStore
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption

WORK, BEATS = 3, 2
"""How many connections a store of its own URL has at most: one for claims, one for ends
and one for the rest; and one for beats and one for releases."""

SET_UP_WITHIN = 20.0

Factory = Callable[[], object]
Given = Callable[[], int | None]
Where = Address | Pool | Factory


@asynccontextmanager
async def open_store(
    where: Where, bridge: Bridge | None, namespace: str, given: Given
) -> AsyncGenerator[PostgresStore]:
    """Connect, set the schema up, yield the store, and close what was opened.

    Raises:
        BackendUnavailable: the server can't be reached or used.
        BackendTooOld: it is, or the schema is newer than this code.
    """
    schema = Schema(namespace)
    shown = where if isinstance(where, Address) else "the server of a pool"
    async with AsyncExitStack() as stack:
        with reaching(shown):
            work, beats = await _lanes(where, bridge, stack)
            async with asyncio.timeout(SET_UP_WITHIN):
                way = await work.using(partial(set_up, schema=schema, where=str(shown)))
        work.way = beats.way = way
        yield PostgresStore(work, beats, schema, given)


async def _lanes(
    where: Where, bridge: Bridge | None, stack: AsyncExitStack
) -> tuple[Lane, Lane]:
    if isinstance(where, Address):
        work, beats = Made(where.url), Made(where.url)
        stack.push_async_callback(beats.aclose)
        stack.push_async_callback(work.aclose)
        return Lane(work, WORK), Lane(beats, BEATS)  # noqa: ASYNC910  set-up follows
    if is_pool(where):
        check_home("PostgresBackend", bridge)
        return _lanes_of(where)  # noqa: ASYNC910  set-up follows
    pool = await stack.enter_async_context(_made_pool(cast("Factory", where)))
    return _lanes_of(pool)


def _lanes_of(pool: Pool) -> tuple[Lane, Lane]:
    """Return lanes that leave a beat its connection, if the pool has more than one."""
    if loop_of(pool) not in (None, asyncio.get_running_loop()):
        raise InvalidOption(
            "this pool belongs to another asyncio loop: PostgresBackend needs one that "
            "was made in the loop that uses it, or a factory that makes one there"
        )
    size = pool.get_max_size()
    beats = min(BEATS, max(size - 1, 1))
    return Lane(Lent(pool), min(WORK, max(size - beats, 1))), Lane(Lent(pool), beats)


@asynccontextmanager
async def _made_pool(factory: Factory) -> AsyncGenerator[Pool]:
    made = factory()
    pool = await made if inspect.isawaitable(made) else made
    if not is_pool(pool):
        raise InvalidOption(
            "a factory for PostgresBackend returns an asyncpg.Pool, not a "
            f"{type(pool).__name__}"
        )
    try:
        yield pool
    finally:
        # a pool tears down what it couldn't close in time
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(  # noqa: ASYNC102  struck once, by the bridge
                pool.close(), CLOSE_WITHIN
            )
