"""The PostgreSQL store keeps the laws, on each version and through a pooler."""

import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import LeaseConformance, ManualClock
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace


class OnServer(LeaseConformance):
    """The store on one server; each test has a schema of its own."""

    server: str

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet) -> Backend:
        """Return a store in a new schema."""
        url = fleet[self.server].url
        return PostgresBackend(url, namespace=new_namespace(), clock=clock)


class TestPostgres18(OnServer):
    """The newest server."""

    server = "postgres18"


class TestPostgres15(OnServer):
    """The oldest server that is tested."""

    server = "postgres15"


class TestPgbouncer(OnServer):
    """A server behind a pooler that lends connections for a transaction each."""

    server = "pgbouncer"
