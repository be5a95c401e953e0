"""Pools that users made, in place of a URL: where they live, and who closes them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import cast

import anyio
import asyncpg  # type: ignore[import-untyped]
import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.bridge import Bridge, open_bridge
from anarchon.errors import BackendUnavailable, InvalidOption
from anarchon.protocol import LeaseStore, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.stores.claims import SUCCESS, claim_of, manual_record, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

SOON = 3.0


@asynccontextmanager
async def pool_behind_a_bridge(
    url: str, size: int = 4
) -> AsyncGenerator[tuple[Bridge, asyncpg.Pool]]:
    """Make a pool as a user of either loop does; in the end it must still work."""

    async def make() -> asyncpg.Pool:
        return await asyncpg.create_pool(url, min_size=1, max_size=size)

    async with open_bridge() as bridge:
        pool = await bridge.call(make)
        yield bridge, pool
        assert 1 == await bridge.call(pool.fetchval, "SELECT 1")
        await bridge.call(pool.close)


async def live_through(link: Link) -> None:
    """Claim, beat and finish."""
    store = cast("LeaseStore", link.store)
    [slot] = past_slots(1)
    reply = await link.call(store.claim, claim_of("job", slot, "token", "A"))
    assert isinstance(reply, Won)
    assert (await link.call(store.heartbeat, "job", slot, "token", 30.0)).accepted
    assert (await link.call(store.finish, "job", slot, "token", SUCCESS)).accepted


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", ["postgres18", "pgbouncer"])
async def test_users_pool_is_used_and_left_open(
    fleet: Fleet, name: str, size: int
) -> None:
    """A pool of any size will do, and works on when the store is closed."""
    async with pool_behind_a_bridge(fleet[name].url, size) as (bridge, pool):
        backend = PostgresBackend(pool, namespace=new_namespace(), bridge=bridge)
        async with linked(backend) as link:
            await live_through(link)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_pool_of_the_running_loop_needs_no_bridge(fleet: Fleet) -> None:
    """On asyncio a pool is used where it is."""
    async with asyncpg.create_pool(fleet["postgres18"].url, min_size=1) as pool:
        backend = PostgresBackend(pool, namespace=new_namespace())
        async with linked(backend) as link:
            await live_through(link)
        assert 1 == await pool.fetchval("SELECT 1")


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_pool_without_its_bridge_is_refused_on_trio(fleet: Fleet) -> None:
    """The error shows how a pool comes with its bridge."""
    async with pool_behind_a_bridge(fleet["postgres18"].url) as (_, pool):
        with pytest.raises(InvalidOption, match="bridge=bridge"):
            async with linked(PostgresBackend(pool)):
                pass


async def test_pool_of_another_loop_is_refused(fleet: Fleet) -> None:
    """A pool that lives elsewhere is refused before it is touched."""
    loop = asyncio.new_event_loop()
    pool = asyncpg.create_pool(fleet["postgres18"].url, min_size=1, loop=loop)
    try:
        async with open_bridge() as bridge:
            with pytest.raises(InvalidOption, match="another asyncio loop"):
                async with linked(PostgresBackend(pool, bridge=bridge)):
                    pass
    finally:
        loop.close()


async def test_pool_may_decode_json_by_itself(fleet: Fleet) -> None:
    """What a user's connections are set up for doesn't get in the way."""

    async def decode(connection: asyncpg.Connection) -> None:
        await connection.set_type_codec(
            "json", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"
        )

    def factory() -> asyncpg.Pool:
        return asyncpg.create_pool(fleet["postgres18"].url, min_size=1, init=decode)

    async with linked(PostgresBackend(factory, namespace=new_namespace())) as link:
        await live_through(link)


def plain_factory(url: str) -> Callable[[], asyncpg.Pool]:
    """Return a factory of a pool that is yet to be opened."""
    return lambda: asyncpg.create_pool(url, min_size=1)


def async_factory(url: str) -> Callable[[], Awaitable[asyncpg.Pool]]:
    """Return a factory that opens its pool."""

    async def make() -> asyncpg.Pool:
        return await asyncpg.create_pool(url, min_size=1)

    return make


@pytest.mark.parametrize("factory_for", [plain_factory, async_factory])
async def test_pool_of_a_factory_is_closed_with_the_store(
    fleet: Fleet, factory_for: Callable[[str], Callable[[], object]]
) -> None:
    """A factory is called where the store lives, and what it makes is the store's."""
    made: list[asyncpg.Pool] = []
    make = factory_for(fleet["postgres18"].url)

    def factory() -> object:
        async def opened() -> asyncpg.Pool:
            made.append(await cast("Awaitable[asyncpg.Pool]", make()))
            return made[-1]

        return opened()

    backend = PostgresBackend(factory, namespace=new_namespace())
    for _ in range(2):
        async with linked(backend) as link:
            await live_through(link)
            assert 0 < made[-1].get_size()
        assert 0 == made[-1].get_size()
    assert 2 == len(made)


async def test_factory_of_something_else_is_refused() -> None:
    """What isn't a pool is named."""
    with pytest.raises(InvalidOption, match="not a int"):
        async with linked(PostgresBackend(lambda: 42)):
            pass


async def test_closed_pool_is_unavailable(fleet: Fleet) -> None:
    """A pool that the user has closed is a store that can't be opened."""
    url = fleet["postgres18"].url
    async with open_bridge() as bridge:
        pool = await bridge.call(async_factory(url))
        await bridge.call(pool.close)
        with pytest.raises(BackendUnavailable, match="pool is closed"):
            async with linked(PostgresBackend(pool, bridge=bridge)):
                pass


@pytest.mark.parametrize("size", [2, 4])
async def test_beat_gets_a_connection_of_a_pool_whose_others_all_wait(
    fleet: Fleet, size: int
) -> None:
    """However many calls wait in the server, a heartbeat isn't queued behind them."""
    name = new_namespace()
    lock = f"""SELECT pg_advisory_lock(hashtextextended('"{name}" stuck', 0))"""
    async with pool_behind_a_bridge(fleet["postgres18"].url, size) as (bridge, pool):
        other = await bridge.call(asyncpg.connect, fleet["postgres18"].url)
        backend = PostgresBackend(pool, namespace=name, bridge=bridge)
        async with linked(backend) as link, anyio.create_task_group() as waiting:
            store = cast("LeaseStore", link.store)
            [slot] = past_slots(1)
            manual = manual_record("stuck", slot)
            await link.call(store.claim, claim_of("job", slot, "token", "A"))
            await bridge.call(other.execute, lock)

            async def record(number: int) -> None:
                with suppress(asyncpg.PostgresError, TimeoutError):
                    await link.call(store.record, manual, f"t{number}", 100)

            for number in range(2 * size):
                waiting.start_soon(record, number)
            with anyio.fail_after(SOON):
                await anyio.wait_all_tasks_blocked()
                reply = await link.call(store.heartbeat, "job", slot, "token", 30.0)
            assert reply.accepted
            await bridge.call(other.close)
