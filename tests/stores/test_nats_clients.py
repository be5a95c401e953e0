"""Clients of nats-py in place of a URL, and connections that are encrypted."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
import nats
import pytest
from nats.aio.client import Client

from anarchon.backends.nats import NatsBackend
from anarchon.bridge import Bridge, open_bridge
from anarchon.errors import BackendUnavailable, InvalidOption
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.servers.tls import certificates
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(60)]

JOB = "job"


async def quietly(error: Exception) -> None:
    """Ignore what a client complains of."""


@asynccontextmanager
async def client_of(url: str) -> AsyncGenerator[tuple[Client, Bridge]]:
    """Give a client of the user's, and the bridge that it lives behind."""

    async def connect() -> Client:
        return await nats.connect(url, error_cb=quietly, reconnect_time_wait=0.1)

    async with open_bridge() as bridge:
        client = await bridge.call(connect)
        try:
            yield client, bridge
        finally:
            await bridge.call(client.close)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, under a deadline."""
    with anyio.fail_after(10):
        while not condition():
            await anyio.sleep(0.02)


async def wins(link: Link, slot: int) -> bool:
    """Claim a slot; tell whether it was won."""
    reply = await link.call(link.store.claim, claim_of(JOB, slot, "a", "A"))
    return isinstance(reply, Won)


async def test_clients_of_the_user_stay_open(fleet: Fleet) -> None:
    """A client that was passed in is used, and left as it was."""
    first, second = past_slots(2)
    async with client_of(fleet["nats215"].url) as (client, bridge):
        backend = NatsBackend(client, namespace=new_namespace(), bridge=bridge)
        for slot in (first, second):
            async with linked(backend) as link:
                assert await wins(link, slot)
        assert client.is_connected


async def test_client_that_is_away_sends_nothing_later(fleet: Fleet) -> None:
    """A claim that can't be sent now fails at once, and is never sent afterwards."""
    [slot] = past_slots(1)
    server = fleet["nats215"]
    with Proxy(server.port) as proxy:
        async with client_of(server.url_at(proxy.port)) as (client, bridge):
            backend = NatsBackend(client, namespace=new_namespace(), bridge=bridge)
            async with linked(backend) as link:
                await link.call(link.store.prepare, [JOB])
                proxy.refuse()
                await until(lambda: not client.is_connected)
                with anyio.fail_after(1), pytest.raises(ConnectionError):
                    await wins(link, slot)
                proxy.heal()
                await until(lambda: client.is_connected)
                assert [] == await link.call(link.store.history, JOB, 1)
                assert await wins(link, slot)


async def test_clients_of_a_function_are_closed(fleet: Fleet) -> None:
    """What the user's function makes is made in the store's loop, and closed."""
    [slot] = past_slots(1)
    made: list[Client] = []

    async def make() -> Client:
        made.append(await nats.connect(fleet["nats215"].url))
        return made[-1]

    async with linked(NatsBackend(make, namespace=new_namespace())) as link:
        assert await wins(link, slot)
    assert [True] == [client.is_closed for client in made]


async def test_closed_store_keeps_no_client(fleet: Fleet) -> None:
    """What is asked when the store is closed, by a call that outlasts it, fails."""
    made: list[Client] = []

    async def make() -> Client:
        made.append(await nats.connect(fleet["nats215"].url))
        return made[-1]

    async with open_bridge() as bridge:
        backend = NatsBackend(make, namespace=new_namespace(), bridge=bridge)
        async with linked(backend) as link:
            pass
        with pytest.raises(ConnectionError, match="closed"):
            await link.call(link.store.history, JOB, 1)
    assert [True, True] == [client.is_closed for client in made]


async def test_function_that_makes_something_else_is_refused() -> None:
    """What isn't a client of nats-py is named before anything is done with it."""
    with pytest.raises(InvalidOption, match="not a int"):
        async with linked(NatsBackend(lambda: 17)):  # type: ignore[arg-type,return-value]
            pass


async def test_closed_client_is_no_store(fleet: Fleet) -> None:
    """A client that the user has closed is refused when the store is opened."""
    async with client_of(fleet["nats215"].url) as (client, bridge):
        await bridge.call(client.close)
        with pytest.raises(BackendUnavailable, match="isn't connected"):
            async with linked(NatsBackend(client, bridge=bridge)):
                pass


@pytest.mark.parametrize("anyio_backend", ["trio"], indirect=True)
async def test_client_without_its_bridge_is_refused(fleet: Fleet) -> None:
    """Under Trio the error shows how a client is passed."""
    async with client_of(fleet["nats215"].url) as (client, _):
        with pytest.raises(InvalidOption, match="NatsBackend"):
            async with linked(NatsBackend(client)):
                pass


@pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True)
async def test_client_of_another_loop_is_refused(fleet: Fleet) -> None:
    """On asyncio a client that was made in another thread's loop is told apart."""
    clients: list[Client] = []

    async def connect() -> None:
        clients.append(await nats.connect(fleet["nats215"].url))

    runner = asyncio.Runner()
    await anyio.to_thread.run_sync(runner.run, connect())
    try:
        with pytest.raises(InvalidOption, match="another asyncio loop"):
            async with linked(NatsBackend(clients[0])):
                pass
    finally:
        await anyio.to_thread.run_sync(runner.run, clients[0].close())
        await anyio.to_thread.run_sync(runner.close)


async def test_encrypted_connection_is_used(fleet: Fleet) -> None:
    """A server's certificate is trusted if the URL's authority has signed it."""
    [slot] = past_slots(1)
    with fleet.fresh("nats215", tls=True, password="p:@/ss") as server:
        authority = certificates().authority
        url = f"{server.url}?tls_ca={authority}&namespace={new_namespace()}"
        async with linked(NatsBackend.from_url(url)) as link:
            assert await wins(link, slot)
        with pytest.raises(BackendUnavailable, match="certificate"):
            async with linked(NatsBackend(server.url)):
                pass


async def test_encryption_is_insisted_on(fleet: Fleet) -> None:
    """A server that offers none isn't used in the clear by a tls:// URL."""
    url = fleet["nats215"].url.replace("nats://", "tls://")
    with pytest.raises(BackendUnavailable, match="doesn't encrypt"):
        async with linked(NatsBackend(url)):
            pass
