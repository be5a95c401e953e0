"""What real servers answer to overlapping requests can have come about one by one.

What is asked and how it is judged, by the laws, is in ``property_tests.races``.
"""

import pytest

from anarchon.backends.nats import NatsBackend
from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.backends.redis import RedisBackend
from anarchon.testing.conformance import ManualClock
from property_tests.races.kinds import (
    LEASES,
    ORDERED,
    STREAMS,
    TIMELESS,
    UNORDERED,
    UNTRIMMED,
    Kind,
)
from property_tests.races.plans import Clock
from property_tests.races.racing import hold_races
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace

each_clock = pytest.mark.parametrize("clock", Clock)
each_hand_moved = pytest.mark.parametrize("clock", [Clock.STILL, Clock.MOVED])


@each_clock
@pytest.mark.parametrize("server", ["redis7", "redis8", "valkey9"])
def test_redis_leases_are_linearizable(fleet: Fleet, server: str, clock: Clock) -> None:
    """The replies of Redis and Valkey are those of some order that keeps to time."""

    def redis(hand: ManualClock | None) -> RedisBackend:
        url = fleet[server].url
        return RedisBackend(url, "lease", namespace=new_namespace(), clock=hand)

    hold_races(LEASES, redis, clock, 15)


@each_clock
def test_postgres_is_linearizable(fleet: Fleet, clock: Clock) -> None:
    """So are those of PostgreSQL, while no records are dropped."""

    def postgres(hand: ManualClock | None) -> PostgresBackend:
        url = fleet["postgres18"].url
        return PostgresBackend(url, namespace=new_namespace(), clock=hand)

    hold_races(UNTRIMMED, postgres, clock, 15)


@each_hand_moved
@pytest.mark.parametrize(
    ("strategy", "kind"),
    [("stream-id", ORDERED), ("script", UNORDERED), ("idmp", UNORDERED)],
    ids=lambda each: str(each) if isinstance(each, str) else "",
)
def test_redis_slots_are_linearizable(
    fleet: Fleet, strategy: str, kind: Kind, clock: Clock
) -> None:
    """So are those of the strategies without leases."""

    def redis(hand: ManualClock | None) -> RedisBackend:
        url = fleet["redis8"].url
        return RedisBackend(url, strategy, namespace=new_namespace(), clock=hand)

    hold_races(kind, redis, clock, 10)


def test_nats_is_linearizable(fleet: Fleet) -> None:
    """So are those of NATS, which has no time of a step, but of its first part."""

    def nats(hand: ManualClock | None) -> NatsBackend:
        url = fleet["nats215"].url
        return NatsBackend(url, namespace=new_namespace(), clock=hand)

    hold_races(STREAMS, nats, Clock.STILL, 20)


def test_rabbitmq_is_linearizable(fleet: Fleet) -> None:
    """So are those of RabbitMQ, which tells no time."""

    def rabbitmq(hand: ManualClock | None) -> RabbitMQBackend:
        url = fleet["rabbitmq310"].url
        return RabbitMQBackend(url, namespace=new_namespace(), clock=hand)

    hold_races(TIMELESS, rabbitmq, Clock.STILL, 5)
