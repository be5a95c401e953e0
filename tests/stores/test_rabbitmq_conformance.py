"""The RabbitMQ store keeps the laws of a claim-only store."""

import pytest

from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import ClaimConformance, ManualClock
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace


class TestRabbitMQ(ClaimConformance):
    """The RabbitMQ store, over the bridge from both loops."""

    @pytest.fixture
    def backend(self, fleet: Fleet, clock: ManualClock) -> Backend:
        """Return a store in a namespace of its own."""
        url = fleet["rabbitmq310"].url
        return RabbitMQBackend(url, namespace=new_namespace(), clock=clock)
