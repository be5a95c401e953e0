"""The stores that scenarios are played on, and the servers behind them.

Decides which there are, and which of both kinds are shown beside each other. Must not
know any scenario.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

from tests.servers.fleet import Fleet
from tests.servers.server import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A store by its name, and the product that it is of.

    ``server`` is what the fleet calls its server, if any.
    """

    name: str
    product: str
    leases: bool
    server: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])


LEASE_STORES = (
    Store(name="redis", product="Redis", leases=True, server="redis8"),
    Store(name="postgres", product="PostgreSQL", leases=True, server="postgres18"),
    Store(name="sqlite", product="SQLite", leases=True),
)
CLAIM_STORES = (
    Store(
        name="redis-script",
        product="Redis",
        leases=False,
        server="redis8",
        options={"strategy": "script"},
    ),
    Store(name="rabbitmq", product="RabbitMQ", leases=False, server="rabbitmq310"),
    Store(name="nats", product="NATS", leases=False, server="nats215"),
)
STORES = LEASE_STORES + CLAIM_STORES
# shown in one row, lease beside claim-only
PAIRS = tuple(zip(LEASE_STORES, CLAIM_STORES, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A store that is there. No other play goes on in it at the same time.

    ``server`` is ``None`` where the store is a file in the ``folder``. ``first`` names
    a function that each instance calls before anything else.
    """

    store: Store
    folder: Path
    server: Server | None
    first: str = ""

    def new_url(self) -> str:
        """Return the URL of a store that nothing was ever written to."""
        space = f"s{uuid4().hex[:12]}"
        if self.server is None:
            return f"sqlite:///{self.folder / space}.db"
        options = {**self.store.options, "namespace": space}
        mark = "&" if "?" in self.server.url else "?"
        return f"{self.server.url}{mark}{urlencode(options)}"

    def through(self, url: str, port: int) -> str:
        """Return one of its URLs as it is reached at another port."""
        assert self.server is not None, f"{self.store.name} has no network"
        here, there = self.server.url, self.server.url_at(port)
        return url.replace(here, there, 1)


@contextmanager
def opened(store: Store, fleet: Fleet, folder: Path) -> Generator[Place]:
    """Start the server of a store, and give the place; leaving ends the server."""
    folder.mkdir()
    if store.server is None:
        yield Place(store=store, folder=folder, server=None)
        return
    with fleet.fresh(store.server) as server:
        yield Place(store=store, folder=folder, server=server)
