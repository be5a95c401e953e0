"""Every store on a server answers random programs as the laws say, on both loops.

Its clock is the test's. What it is asked, and what is right, is in ``property_tests``.
"""

import pytest

from anarchon.backends.nats import NatsBackend
from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.backends.redis import RedisBackend
from anarchon.testing.conformance import ManualClock
from property_tests.stores.claim_machine import (
    BriefMachine,
    ClaimMachine,
    TimelessMachine,
    UnorderedMachine,
)
from property_tests.stores.lease_machine import LateMachine, LeaseMachine
from property_tests.stores.playing import each_loop, play
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace

pytestmark = each_loop


@pytest.mark.parametrize("server", ["redis7", "redis8", "valkey9"])
def test_redis_leases_keep_the_laws(fleet: Fleet, server: str, loop: str) -> None:
    """Every reply, lease and record of the strategy with leases is the model's."""
    clock = ManualClock()
    backend = redis_on(fleet, server, "lease", clock)
    play(LeaseMachine, backend, clock, loop, 25)


def test_postgres_keeps_the_laws(fleet: Fleet, loop: str) -> None:
    """Every reply, lease and record is the model's, which leaves to it when to trim."""
    clock = ManualClock()
    url = fleet["postgres18"].url
    backend = PostgresBackend(url, namespace=new_namespace(), clock=clock)
    play(LateMachine, backend, clock, loop, 50)


def test_redis_stream_keeps_the_laws(fleet: Fleet, loop: str) -> None:
    """Every reply and record of the strategy that keeps an order is the model's."""
    clock = ManualClock()
    backend = redis_on(fleet, "redis8", "stream-id", clock)
    play(ClaimMachine, backend, clock, loop, 15)


@pytest.mark.parametrize("strategy", ["script", "idmp"])
def test_redis_slots_keep_the_laws(fleet: Fleet, strategy: str, loop: str) -> None:
    """Every reply and record of the strategies without an order is the model's."""
    clock = ManualClock()
    backend = redis_on(fleet, "redis8", strategy, clock)
    play(UnorderedMachine, backend, clock, loop, 15)


def test_nats_keeps_the_laws(fleet: Fleet, loop: str) -> None:
    """Every reply and record of the NATS store is the model's."""
    clock = ManualClock()
    url = fleet["nats215"].url
    backend = NatsBackend(url, namespace=new_namespace(), clock=clock)
    play(BriefMachine, backend, clock, loop, 10)


def test_rabbitmq_keeps_the_laws(fleet: Fleet, loop: str) -> None:
    """Every reply and record of the RabbitMQ store, which tells no time, is so too."""
    clock = ManualClock()
    url = fleet["rabbitmq310"].url
    backend = RabbitMQBackend(url, namespace=new_namespace(), clock=clock)
    play(TimelessMachine, backend, clock, loop, 6)


def redis_on(
    fleet: Fleet, server: str, strategy: str, clock: ManualClock
) -> RedisBackend:
    """Return an empty store: in a namespace of its own."""
    url = fleet[server].url
    return RedisBackend(url, strategy, namespace=new_namespace(), clock=clock)
