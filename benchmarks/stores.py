"""The stores under measurement, each with its server, its URL and its floor.

Decides how each is set up: as it comes, but for Redis, which syncs its file once a
second; synced at each write, as in the tests, the disk would hide all else.
"""

import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks import floors
from tests.servers.fleet import Fleet

NAMESPACE = "bench"
EVERY_SECOND = {"appendfsync": "everysec"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Store:
    """A store: what it is called, its URL's options, the bare call beside a claim.

    ``by_client`` is the same call by the driver's client, if the floor has none.
    """

    name: str
    floor: floors.Opening
    by_client: floors.Opening | None = None
    server: str | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    leases: bool = True
    goal: float | None = None

    @contextmanager
    def at_hand(self, fleet: Fleet) -> Generator[str]:
        """Yield the URL of an empty one."""
        if self.server is None:
            with tempfile.TemporaryDirectory() as folder:
                yield self._in_place(folder)
            return
        options = {"namespace": NAMESPACE, **self.options}
        text = "&".join(f"{name}={value}" for name, value in options.items())
        with fleet.fresh(self.server, settings=self.settings) as server:
            yield f"{server.url}{'&' if '?' in server.url else '?'}{text}"

    def _in_place(self, folder: str) -> str:
        if self.name == "memory":
            # shared in the process by this name
            return f"memory://{folder}"
        return f"sqlite:///{folder}/store.db?namespace={NAMESPACE}"


def _redis(
    strategy: str, *, server: str = "redis8", goal: float | None = None
) -> Store:
    product = "Valkey" if server.startswith("valkey") else "Redis"
    return Store(
        name=f"{product} `{strategy}`",
        floor=floors.evalsha,
        by_client=floors.evalsha_by_client,
        server=server,
        options={"strategy": strategy},
        settings=EVERY_SECOND,
        leases=strategy == "lease",
        goal=goal,
    )


MEMORY = Store(name="memory", floor=floors.assign)
SQLITE = Store(name="SQLite", floor=floors.insert_in_file, goal=1.5)
REDIS = _redis("lease", goal=1.5)
POSTGRES = Store(name="PostgreSQL", floor=floors.insert, server="postgres18", goal=1.5)
STORES = (
    MEMORY,
    SQLITE,
    REDIS,
    _redis("lease", server="valkey9"),
    POSTGRES,
    _redis("script"),
    _redis("stream-id"),
    _redis("idmp"),
    Store(name="NATS", floor=floors.publish, server="nats215", leases=False),
    Store(name="RabbitMQ", floor=floors.confirm, server="rabbitmq310", leases=False),
)
