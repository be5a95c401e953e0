"""Clients that the user made, of each driver, in the same way on both loops."""

from collections.abc import Callable

import aio_pika
import asyncpg  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]
import nats
import pytest
from redis.asyncio import Redis

import anarchon
from anarchon.bridge.held import Held
from anarchon.errors import InvalidOption
from anarchon.protocol import Backend, Won
from anarchon.testing.conformance.probe import linked
from tests.servers.fleet import Fleet
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

Making = Callable[[str], Held[object]]
# each takes clients of its own driver
MakesBackend = Callable[..., Backend]  # type: ignore[explicit-any]
CLIENTS: dict[str, tuple[str, MakesBackend, Making]] = {
    "redis": (
        "redis8",
        anarchon.RedisBackend,
        lambda url: lambda: Redis.from_url(url),
    ),
    "postgresql": (
        "postgres18",
        anarchon.PostgresBackend,
        lambda url: lambda: asyncpg.create_pool(url, min_size=1),
    ),
    "nats": ("nats215", anarchon.NatsBackend, lambda url: lambda: nats.connect(url)),
    "rabbitmq": (
        "rabbitmq310",
        anarchon.RabbitMQBackend,
        lambda url: lambda: aio_pika.connect_robust(url),
    ),
}

each_client = pytest.mark.parametrize(
    ("server", "backend", "making"), CLIENTS.values(), ids=CLIENTS
)


@each_client
async def test_client_behind_a_bridge_is_used_and_left_open(
    server: str, backend: MakesBackend, making: Making, fleet: Fleet
) -> None:
    """One client serves one store after another, and is its maker's to close."""
    name = new_namespace()
    first, second = past_slots(2)
    async with (
        anarchon.open_bridge() as bridge,
        bridge.hold(making(fleet[server].url)) as client,
    ):
        for slot in (first, second):
            store = backend(client, namespace=name, bridge=bridge)
            async with linked(store) as link:
                claim = claim_of("job", slot, f"t{slot}", "A")
                assert isinstance(await link.call(link.store.claim, claim), Won)


@each_client
@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_client_without_its_bridge_is_refused_on_trio(
    server: str, backend: MakesBackend, making: Making, fleet: Fleet
) -> None:
    """The error shows how the two are given together."""
    async with (
        anarchon.open_bridge() as bridge,
        bridge.hold(making(fleet[server].url)) as client,
    ):
        with pytest.raises(InvalidOption, match="comes with the bridge") as caught:
            async with anarchon.open_scheduler(backend(client)):
                pytest.fail("a scheduler started on a client of another loop")
        assert "anarchon.open_bridge()" in str(caught.value)
