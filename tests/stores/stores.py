"""All stores under test: the one table that tests of every store go through.

Decides which server each needs and what its URL is. Must not know what is tested.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode
from uuid import uuid4

import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A store of one kind. ``server`` is the name of its server in the fleet.

    ``leases`` tells a lease store from a claim-only one, ``one_step`` that it writes an
    end and its record at once. ``options`` are those of its URL. A process of a race
    opens ``stores`` of it: as many as it has claimers, where a store is cheap to the
    server. The slots of a race are ``step`` milliseconds apart.
    """

    id: str
    server: str
    leases: bool = False
    one_step: bool = True
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    stores: int = 10
    step: int = 12

    def url(self, server: str, namespace: str) -> str:
        """Return the store's URL on the server with this URL."""
        options = urlencode({**self.options, "namespace": namespace})
        return f"{server}{'&' if '?' in server else '?'}{options}"


def _redis(strategy: str, server: str = "redis8", maker: str = "redis") -> Kind:
    return Kind(
        id=f"{maker}-{strategy}",
        server=server,
        leases=strategy == "lease",
        options={"strategy": strategy},
    )


KINDS = (
    _redis("lease"),
    _redis("script"),
    _redis("stream-id"),
    _redis("idmp"),
    _redis("lease", "valkey9", "valkey"),
    # a server takes 100 connections, and a store may want a few
    Kind(id="postgresql", server="postgres18", leases=True, stores=2),
    Kind(id="pgbouncer", server="pgbouncer", leases=True, stores=2),
    Kind(id="nats", server="nats215"),
    # each store reads all claims of all others
    Kind(id="rabbitmq", server="rabbitmq310", one_step=False, stores=1),
)

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)


def new_namespace() -> str:
    """Return a namespace that no other test has."""
    return f"t{uuid4().hex[:12]}"
