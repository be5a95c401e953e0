"""The Redis store keeps the laws, with each strategy and on each server."""

import uuid

import pytest

from anarchon.backends.redis import RedisBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import (
    ClaimConformance,
    InOrder,
    InTime,
    LeaseConformance,
    ManualClock,
    Trimming,
)
from tests.servers.fleet import Fleet

SERVERS = ("redis8", "redis7", "valkey9")


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> str:
    """Name each server."""
    name: str = request.param
    return name


def backend_on(
    fleet: Fleet, server: str, strategy: str, clock: ManualClock
) -> RedisBackend:
    """Return an empty store: in a namespace of its own."""
    return RedisBackend(
        fleet[server].url, strategy, namespace=uuid.uuid4().hex, clock=clock
    )


class TestLease(LeaseConformance):
    """The strategy that keeps leases."""

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet, server: str) -> Backend:
        """Return an empty store."""
        return backend_on(fleet, server, "lease", clock)


class TestScript(ClaimConformance, InTime, Trimming):
    """The strategy that keeps a key for each slot."""

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet, server: str) -> Backend:
        """Return an empty store."""
        return backend_on(fleet, server, "script", clock)


class TestStreamId(ClaimConformance, InTime, InOrder, Trimming):
    """The strategy that lets a stream keep the order of slots."""

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet, server: str) -> Backend:
        """Return an empty store."""
        return backend_on(fleet, server, "stream-id", clock)


class TestIdmp(ClaimConformance, InTime, Trimming):
    """The strategy that lets a stream recognise a slot, which one server can."""

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet) -> Backend:
        """Return an empty store."""
        return backend_on(fleet, "redis8", "idmp", clock)
