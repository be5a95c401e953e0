"""The NATS backend: claims and results as messages of two JetStream streams.

Decides what may be configured. Loads no driver before a backend is made.
"""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from anarchon.backends.address import need_driver, seconds_or_text
from anarchon.backends.clock import StoreClock
from anarchon.backends.nats.servers import Servers
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption
from anarchon.protocol import ClaimStore
from anarchon.rules.durations import Duration, to_seconds
from anarchon.rules.names import check_namespace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nats.aio.client import Client

    from anarchon.backends.nats.clients import Source

DAY = 86_400.0
MOST_REPLICAS = 5


class NatsBackend:
    """A claim-only store in JetStream, on a NATS server from 2.9.2 on or a cluster.

    ``url_or_client`` is a URL (``nats://host:4222``, ``tls://host``, several hosts with
    commas between them), a connected client of nats-py, which stays open, or a function
    that makes one, which is then closed. What may stand in a URL beside ``tls_ca`` is
    for ``from_url``, and refused here. ``remember`` is for how long a claim is kept:
    a slot can run again after that time only if it were claimed then, and none is
    granted that is older than half of it. ``replicas`` is how many servers of a cluster
    keep the streams. Both only ever grow: a stream that is there and has more of them
    stays as it is. ``bridge`` is the one behind which a client lives in a Trio program.
    ``clock`` is for tests: without it only the server's clock counts.

    Raises:
        InvalidOption: a bad URL or option, no client, or nats-py isn't installed.
    """

    name = "nats"
    leases = False
    needs_asyncio = True

    def __init__(
        self,
        url_or_client: "str | Client | Callable[[], Client | Awaitable[Client]]",
        *,
        namespace: str = "anarchon",
        remember: Duration = DAY,
        replicas: int = 1,
        bridge: Bridge | None = None,
        clock: StoreClock | None = None,
    ) -> None:
        need_driver("nats", "nats", "NATS")
        from anarchon.backends.nats.clients import source_of

        self.source: Source = source_of(url_or_client)
        self.clock = clock
        self.namespace: str = check_namespace(namespace)
        self.remembers: float = _checked_remember(remember)
        self.replicas: int = _checked_replicas(replicas)
        self.bridge = bridge

    @staticmethod
    def from_url(url: str) -> "NatsBackend":
        """Return the store of ``nats://`` or ``tls://``.

        The options are ``?namespace=``, ``remember=``, ``replicas=`` and ``tls_ca=``,
        the file of the authority whose certificates are trusted with ``tls://``.

        Raises:
            InvalidOption: the URL or an option isn't allowed.
        """
        servers = Servers(url, own=("namespace", "remember", "replicas"))
        options = servers.options
        return NatsBackend(
            servers.url,
            namespace=options.get("namespace", "anarchon"),
            remember=seconds_or_text(options.get("remember", str(DAY))),
            replicas=_checked_replicas(options.get("replicas", 1)),
        )

    def open(self) -> AbstractAsyncContextManager[ClaimStore]:
        """Connect, set the streams up, yield the live store, and close it.

        Raises:
            BackendUnavailable: no server can be used, or a stream isn't as it must be.
            BackendTooOld: the server is older than 2.9.2.
        """
        from anarchon.backends.nats.opening import open_store

        return open_store(self)

    def __repr__(self) -> str:
        return (
            f"NatsBackend({self.source!r}, namespace={self.namespace!r}, "
            f"remember={self.remembers:g}, replicas={self.replicas})"
        )


def _checked_remember(given: Duration) -> float:
    seconds = to_seconds(given, name="remember")
    if seconds < 1:
        raise InvalidOption(f"remember must be 1 s or more, not {given!r}")
    return seconds


def _checked_replicas(given: object) -> int:
    allowed = range(1, MOST_REPLICAS + 1)
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    if isinstance(number, bool) or not isinstance(number, int) or number not in allowed:
        raise InvalidOption(f"replicas must be 1 to {MOST_REPLICAS}, not {given!r}")
    return number
