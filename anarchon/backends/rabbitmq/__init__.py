"""The RabbitMQ backend: claims in one stream that all instances read in one order.

Decides what may be configured. Loads no driver: that is left to ``open``.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from anarchon.backends.address import (
    Address,
    address_alone,
    need_driver,
    reaching,
    seconds_or_text,
)
from anarchon.backends.clients import check_home
from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption
from anarchon.protocol import ClaimStore
from anarchon.rules.durations import Duration, to_seconds
from anarchon.rules.names import check_namespace

if TYPE_CHECKING:
    from aio_pika.abc import AbstractConnection as Client

    from anarchon.backends.rabbitmq.connecting import Connector

    Factory = Callable[[], Client | Awaitable[Client]]
    Server = Address | Client | Callable[[], object]

REMEMBER = 6 * 3_600.0
_LEAST = 60.0
_OWN = ("namespace", "remember")
_DRIVERS = frozenset(
    (
        *("auth", "heartbeat", "name", "timeout"),
        *("cadata", "cafile", "capath", "certfile", "keyfile", "no_verify_ssl"),
    )
)


class RabbitMQBackend:
    """A claim-only store in a RabbitMQ server, version 3.9 or newer.

    It is given by its URL, by an open connection of aio-pika, which stays open, or by a
    function that makes such a connection. ``bridge`` is the one behind which the
    connection lives, in a Trio program. Several clusters share a server under different
    names in ``namespace``.

    ``remember`` is for how long claims are surely kept, in seconds, a ``timedelta`` or
    text such as ``"6h"``; all instances must say the same. A slot older than half of it
    is refused. The server tells no time: instances go by their own clocks, which NTP
    has to keep together. ``clock`` stands in for this instance's clock in tests.

    Raises:
        InvalidOption: a bad URL, client, namespace or time to remember, or aio-pika
            isn't installed.
    """

    name = "rabbitmq"
    leases = False
    needs_asyncio = True

    def __init__(
        self,
        url_or_client: "str | Client | Factory",
        *,
        namespace: str = "anarchon",
        remember: Duration = REMEMBER,
        bridge: Bridge | None = None,
        clock: StoreClock | None = None,
    ) -> None:
        need_driver("aio_pika", "rabbitmq", "RabbitMQ")
        self.namespace: str = _checked_namespace(namespace)
        self.remembers: float | None = _checked_memory(remember)
        self.bridge = bridge
        self._server = _checked_server(url_or_client)
        self._read_clock = time.time if clock is None else clock.time

    @staticmethod
    def from_url(url: str) -> "RabbitMQBackend":
        """Return the store of ``amqp://user:password@host:port/vhost``, or ``amqps://``.

        ``?namespace=`` and ``?remember=`` are anarchon's options; what else there is,
        such as ``cafile``, is for the driver.

        Raises:
            InvalidOption: the URL or an option of anarchon's can't be used.
        """
        address = Address(url, own=_OWN)
        options = address.options
        return RabbitMQBackend(
            address.url,
            namespace=options.get("namespace", "anarchon"),
            remember=seconds_or_text(options.get("remember", str(REMEMBER))),
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[ClaimStore]:
        """Connect, read the log of claims, yield the live store, and close it.

        Raises:
            BackendUnavailable: the server can't be reached or used.
            BackendTooOld: it has no streams.
            InvalidOption: the connection that was given can't be used here.
        """
        from anarchon.backends.rabbitmq.store import open_store

        assert self.remembers is not None
        store = open_store(
            self._connector(), self.namespace, int(self.remembers), self._now
        )
        async with AsyncExitStack() as stack:
            with reaching(self._shown):
                opened = await stack.enter_async_context(store)
            yield opened

    def _connector(self) -> "Connector":
        from anarchon.backends.rabbitmq.connecting import ByClient, ByFactory, ByUrl

        server = self._server
        if isinstance(server, Address):
            return ByUrl(server)
        if callable(server):
            return ByFactory(server)
        check_home("RabbitMQBackend", self.bridge)
        return ByClient(server)

    @property
    def _shown(self) -> Address | str:
        server = self._server
        if isinstance(server, Address):
            return server
        return "RabbitMQ by a client's factory" if callable(server) else "RabbitMQ"

    def _now(self) -> int:
        return milliseconds(self._read_clock())

    def __repr__(self) -> str:
        return (
            f"RabbitMQBackend({self._shown!r}, namespace={self.namespace!r}, "
            f"remember={self.remembers:g})"
        )


def _checked_server(given: object) -> "Server":
    if isinstance(given, str):
        return _checked_address(given)
    from aio_pika.abc import AbstractConnection

    if isinstance(given, AbstractConnection) or callable(given):
        return given
    raise InvalidOption(
        "RabbitMQBackend takes a URL, a connection of aio_pika or a function that "
        f"makes one, not {type(given)}"
    )


def _checked_address(url: str) -> Address:
    address = address_alone(url, _OWN)
    scheme = url.partition("://")[0]
    if scheme not in {"amqp", "amqps"} or not address.host:
        raise InvalidOption(
            "a URL of a RabbitMQ store is amqp://user:password@host:port/vhost or "
            f"amqps://..., not {address}"
        )
    names = [name for name, _ in parse_qsl(urlsplit(address.url).query)]
    if unknown := sorted(set(names) - _DRIVERS):
        raise InvalidOption(
            f"no option {', '.join(unknown)} in a URL of a RabbitMQ store; there are "
            f"{', '.join(_OWN)}, and of the driver {', '.join(sorted(_DRIVERS))}"
        )
    return address


def _checked_namespace(namespace: str) -> str:
    check_namespace(namespace)
    # the server keeps queues whose name starts so for itself
    if namespace == "amq":
        raise InvalidOption("a namespace in RabbitMQ can't be 'amq'")
    return namespace


def _checked_memory(remember: Duration) -> float:
    seconds = to_seconds(remember, name="remember")
    if seconds < _LEAST or seconds != int(seconds):
        raise InvalidOption(
            f"remember must be whole seconds, {_LEAST:g} or more, not {remember!r}"
        )
    return seconds
