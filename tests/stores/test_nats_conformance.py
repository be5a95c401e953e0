"""The NATS store keeps the laws of claim-only stores, on each server."""

import pytest

from anarchon.backends.nats import NatsBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import ClaimConformance, InTime, ManualClock
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace


class TestNats(ClaimConformance, InTime):
    """The newest server, over the bridge from both loops."""

    server = "nats215"

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet) -> Backend:
        """Return a store in a namespace of its own."""
        url = fleet[self.server].url
        return NatsBackend(url, namespace=new_namespace(), clock=clock)


class TestNats29(TestNats):
    """The oldest server."""

    server = "nats29"
