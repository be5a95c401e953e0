"""A PostgreSQL server that goes away, freezes or is cut off, under an open store."""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import cast

import anyio
import asyncpg  # type: ignore[import-untyped]
import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.postgres.sources import Made
from anarchon.bridge import open_bridge
from anarchon.connecting import connected
from anarchon.protocol import LeaseStore, Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

CALL_BOUND = 5.0
CLOSES_WITHIN = 2.0
SLACK = 1.0
BURST = 8


async def wins(link: Link, slot: int, token: str = "token") -> bool:
    """Tell whether a claim is granted, which is how it is asked again as well."""
    claim = claim_of("job", slot, token, "A")
    return isinstance(await link.call(link.store.claim, claim), Won)


async def burst(link: Link, slots: range) -> None:
    """Ask for much at once, so that all connections are open afterwards."""
    async with anyio.create_task_group() as calls:
        for slot in slots:
            calls.start_soon(wins, link, slot, f"t{slot}")
            calls.start_soon(link.call, link.store.time)


@asynccontextmanager
async def held_elsewhere(
    url: str, namespace: str, jobs: Sequence[str]
) -> AsyncGenerator[None]:
    """Leave a transaction open that has changed the runs of some jobs."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            change = f'UPDATE "{namespace}".runs SET slot = slot WHERE job = ANY ($1)'
            await connection.execute(change, jobs)
            yield
    finally:
        await connection.close()


@pytest.mark.parametrize("graceful", [True, False])
async def test_restart_between_two_calls_goes_unnoticed(
    fleet: Fleet, graceful: bool
) -> None:
    """Connections that died with the server are replaced before anybody sees it."""
    slots = past_slots(BURST + 1)
    with fleet.fresh("postgres18") as server:
        async with linked(PostgresBackend(server.url)) as link:
            await burst(link, slots[:-1])
            await anyio.to_thread.run_sync(lambda: server.restart(graceful=graceful))
            await burst(link, slots[:-1])
            assert await wins(link, slots[-1])
            beat = cast("LeaseStore", link.store).heartbeat
            assert (await link.call(beat, "job", slots[-1], "token", 30.0)).accepted


async def test_restart_of_a_pooler_goes_unnoticed(fleet: Fleet) -> None:
    """The same holds for what stands before the server."""
    slots = past_slots(BURST + 1)
    with fleet.fresh("pgbouncer") as pooler:
        async with linked(PostgresBackend(pooler.url)) as link:
            await burst(link, slots[:-1])
            await anyio.to_thread.run_sync(pooler.restart)
            assert await wins(link, slots[-1])


async def test_frozen_server_holds_nobody_up(fleet: Fleet) -> None:
    """A call ends within its bound, and works as soon as the server does again."""
    [slot] = past_slots(1)
    with fleet.fresh("postgres18") as server:
        async with linked(PostgresBackend(server.url)) as link:
            assert await wins(link, slot - 1)
            server.freeze()
            try:
                asked = time.monotonic()
                with pytest.raises(TimeoutError):
                    await wins(link, slot)
                assert time.monotonic() - asked < CALL_BOUND
            finally:
                server.thaw()
            assert await wins(link, slot)


async def test_store_of_a_frozen_server_is_closed_in_time(fleet: Fleet) -> None:
    """Taking leave of a server that doesn't answer is given up soon."""
    with fleet.fresh("postgres18") as server:
        async with linked(PostgresBackend(server.url)) as link:
            await burst(link, past_slots(BURST))
            server.freeze()
            left = time.monotonic()
        try:
            assert time.monotonic() - left < CLOSES_WITHIN + SLACK
        finally:
            server.thaw()


async def test_cancelled_claims_leave_the_store_in_order(fleet: Fleet) -> None:
    """A claim that is cut short was made or wasn't; asked again, it is known."""
    backend = PostgresBackend(fleet["postgres18"].url, namespace=new_namespace())
    async with connected(backend) as (bridge, store):
        link = Link(bridge, store)
        for number, slot in enumerate(past_slots(40)):
            with anyio.move_on_after(number * 0.000_1):
                await bridge.call(store.claim, claim_of("job", slot, "t", "A"))
            assert await wins(link, slot, "t")
            rival = claim_of("job", slot, "rival", "B")
            assert isinstance(await link.call(store.claim, rival), Running)


async def test_connection_that_outlasts_its_store_is_closed(fleet: Fleet) -> None:
    """A call that nobody waits for any more neither keeps nor makes a connection."""
    source = Made(fleet["postgres18"].url)

    async def outlast() -> bool:
        connection = await source.take()
        await source.aclose()
        await source.give_back(connection)
        return connection.is_closed()

    async with open_bridge() as bridge:
        assert await bridge.call(outlast)
        with pytest.raises(ConnectionError, match="closed"):
            await bridge.call(source.take)


async def test_connections_that_a_router_forgot_are_given_up_together(
    fleet: Fleet,
) -> None:
    """After one call that isn't answered, the next goes by a new connection."""
    slots = past_slots(BURST + 1)
    server = fleet["postgres18"]
    with Proxy(server.port) as proxy:
        url = server.url_at(proxy.port)
        async with linked(PostgresBackend(url, namespace=new_namespace())) as link:
            await burst(link, slots[:-1])
            proxy.strand()
            with pytest.raises(TimeoutError):
                await wins(link, slots[-1])
            asked = time.monotonic()
            assert await wins(link, slots[-1])
            assert time.monotonic() - asked < SLACK


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("settings", [{}, {"statement_timeout": "300ms"}])
async def test_jobs_that_somebody_holds_are_the_only_ones_without_a_beat(
    fleet: Fleet, settings: dict[str, str], count: int
) -> None:
    """An open transaction that has changed some jobs keeps no other from its beats."""
    [slot], namespace = past_slots(1), new_namespace()
    jobs = [f"job {number:02}" for number in range(BURST)]
    locked, others = jobs[3 : 3 + count], jobs[:3] + jobs[3 + count :]
    beats: dict[str, bool] = {}

    with fleet.fresh("postgres18", settings=settings) as server:
        backend = PostgresBackend(server.url, namespace=namespace)
        async with connected(backend) as (bridge, store):
            link, beat = Link(bridge, store), cast("LeaseStore", store).heartbeat

            async def pulse(job: str) -> None:
                asked = (job, slot, "token", 30.0)
                with suppress(asyncpg.PostgresError):
                    answer = await bridge.call(beat, *asked, bound=CALL_BOUND)
                    beats[job] = answer.accepted

            for job in jobs:
                await link.call(store.claim, claim_of(job, slot, "token", "A"))
            held = partial(held_elsewhere, server.url, namespace, locked)
            async with bridge.hold(held), anyio.create_task_group() as pulses:
                for job in jobs:
                    pulses.start_soon(pulse, job)
    assert dict.fromkeys(others, True) == beats
