"""Connections of aio-pika in place of a URL."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aio_pika
import anyio
import anyio.to_thread
import pytest
from aio_pika.abc import AbstractConnection

from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.bridge import Bridge, open_bridge
from anarchon.errors import BackendUnavailable, InvalidOption
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(60)]

JOB = "job"
each_kind = pytest.mark.parametrize(
    "connect", [aio_pika.connect, aio_pika.connect_robust], ids=["plain", "robust"]
)


@asynccontextmanager
async def client_of(
    url: str, connect: object = aio_pika.connect
) -> AsyncGenerator[tuple[AbstractConnection, Bridge]]:
    """Give a connection of the user's, and the bridge that it lives behind."""
    assert callable(connect)
    async with open_bridge() as bridge:
        client: AbstractConnection = await bridge.call(lambda: connect(url))
        try:
            yield client, bridge
        finally:
            await bridge.call(client.close)


async def wins(link: Link, slot: int) -> bool:
    """Claim a slot; tell whether it was won."""
    reply = await link.call(link.store.claim, claim_of(JOB, slot, "a", "A"))
    return isinstance(reply, Won)


@each_kind
async def test_clients_of_the_user_stay_open(fleet: Fleet, connect: object) -> None:
    """A connection that was passed in is used, and left as it was."""
    first, second = past_slots(2)
    async with client_of(fleet["rabbitmq310"].url, connect) as (client, bridge):
        backend = RabbitMQBackend(client, namespace=new_namespace(), bridge=bridge)
        for slot in (first, second):
            async with linked(backend) as link:
                assert await wins(link, slot)
                assert JOB == (await link.call(link.store.history, JOB, 1))[0].job
        assert not client.is_closed
        async with linked(backend) as link:
            assert 2 == len(await link.call(link.store.history, JOB, 9))


async def test_client_that_dies_is_told_of(fleet: Fleet) -> None:
    """Only its owner can open a connection again, and the error says so."""
    [slot] = past_slots(1)
    async with client_of(fleet["rabbitmq310"].url) as (client, bridge):
        backend = RabbitMQBackend(client, namespace=new_namespace(), bridge=bridge)
        async with linked(backend) as link:
            await bridge.call(client.close)
            with pytest.raises(ConnectionError, match="only its owner"):
                await wins(link, slot)


async def test_closed_client_is_no_store(fleet: Fleet) -> None:
    """A connection that the user has closed is refused when the store is opened."""
    async with client_of(fleet["rabbitmq310"].url) as (client, bridge):
        await bridge.call(client.close)
        with pytest.raises(BackendUnavailable, match="only its owner"):
            async with linked(RabbitMQBackend(client, bridge=bridge)):
                pass


async def test_clients_of_a_function_are_closed(fleet: Fleet) -> None:
    """What the user's function makes is made in the store's loop, and closed."""
    [slot] = past_slots(1)
    made: list[AbstractConnection] = []

    async def make() -> AbstractConnection:
        made.append(await aio_pika.connect(fleet["rabbitmq310"].url))
        return made[-1]

    async with linked(RabbitMQBackend(make, namespace=new_namespace())) as link:
        assert await wins(link, slot)
    assert [True] == [client.is_closed for client in made]


async def test_function_that_makes_something_else_is_refused() -> None:
    """What isn't a connection is named before anything is done with it."""
    with pytest.raises(InvalidOption, match="not <class 'int'>"):
        async with linked(RabbitMQBackend(lambda: 17)):  # type: ignore[arg-type,return-value]
            pass


@pytest.mark.parametrize("anyio_backend", ["trio"], indirect=True)
async def test_client_without_its_bridge_is_refused(fleet: Fleet) -> None:
    """Under Trio the error shows how a connection is passed."""
    async with client_of(fleet["rabbitmq310"].url) as (client, _):
        with pytest.raises(InvalidOption, match="RabbitMQBackend"):
            async with linked(RabbitMQBackend(client)):
                pass


@pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True)
async def test_client_of_another_loop_is_refused(fleet: Fleet) -> None:
    """On asyncio a connection that was made in another loop is told apart."""
    clients: list[AbstractConnection] = []

    async def connect() -> None:
        clients.append(await aio_pika.connect(fleet["rabbitmq310"].url))

    runner = asyncio.Runner()
    await anyio.to_thread.run_sync(runner.run, connect())
    try:
        with pytest.raises(InvalidOption, match="another event loop"):
            async with linked(RabbitMQBackend(clients[0])):
                pass
    finally:
        await anyio.to_thread.run_sync(runner.run, clients[0].close())
        await anyio.to_thread.run_sync(runner.close)


async def test_missing_virtual_host_is_named(fleet: Fleet) -> None:
    """The server only hangs up; the error says what that mostly means."""
    url = f"{fleet['rabbitmq310'].url.rstrip('/')}/nowhere"
    with pytest.raises(BackendUnavailable, match="virtual host 'nowhere'"):
        async with linked(RabbitMQBackend(url)):
            pytest.fail("a virtual host was opened that isn't there")
