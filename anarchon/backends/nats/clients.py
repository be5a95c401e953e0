"""Where clients of nats-py come from: a URL, the user's function, or the user.

Decides how a client is made, and whose it is. All that knows the driver.
"""

import asyncio
import inspect
import random
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol, cast

from nats.aio.client import Client

from anarchon.backends.nats.driver import NatsClient
from anarchon.backends.nats.servers import Server, Servers
from anarchon.errors import BackendUnavailable, InvalidOption

CONNECT_TIMEOUT = 2
PING_INTERVAL = 5
CLOSING = 1.0


class Source(Protocol):
    """Where a store gets its client from; the repr holds no secret.

    ``owned`` says that the client is for this store alone, which closes it.
    """

    owned: bool

    async def client(self, lost: Callable[[], None]) -> NatsClient:
        """Return a connected client; ``lost`` is called when that is known to end."""
        ...


async def closed(client: NatsClient | Client) -> None:
    """Close a client, whatever its server does; it takes a second at most."""
    try:
        with suppress(Exception):
            async with asyncio.timeout(CLOSING):
                await client.close()
    finally:
        _abort(client)
    await asyncio.sleep(0)


def _abort(client: NatsClient | Client) -> None:
    # over TLS the driver waits for a server that says goodbye, too
    transport: object = getattr(client, "_transport", None)
    writer: object = getattr(transport, "_io_writer", None)
    if isinstance(writer, asyncio.StreamWriter):
        writer.transport.abort()


def source_of(given: object) -> Source:
    """Return the source of clients that the user described.

    Raises:
        InvalidOption: neither a URL, nor a client, nor a function.
    """
    if isinstance(given, str):
        return FromUrl(Servers(given))
    if isinstance(given, Client):
        return Given(given)
    if callable(given):
        return FromFactory(given)
    raise InvalidOption(
        "a NATS store is given by its URL, a client of nats-py or a function that "
        f"makes one, not by a {type(given).__name__}"
    )


class FromUrl:
    """Clients that this store makes and closes, and that never reconnect themselves.

    A lost connection is made anew by whoever needs it next, so nothing is sent later
    than it was asked for, and nothing goes on behind the back of a closed store.
    """

    owned = True

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._tls: ssl.SSLContext | None = None

    async def client(self, lost: Callable[[], None]) -> NatsClient:
        """Connect to the first server, in random order, that can be connected to."""
        servers = list(self._servers.servers)
        random.shuffle(servers)
        problems: list[str] = []
        for server in servers:
            try:
                return await self._connected(server, lost)
            except Exception as error:  # noqa: BLE001  a driver raises what it likes
                problems.append(str(error) or type(error).__name__)
        text = self._servers.redact("; ".join(problems))
        raise ConnectionError(f"no connection to {self._servers}: {text}")

    async def _connected(self, server: Server, lost: Callable[[], None]) -> NatsClient:
        client = Client()
        connecting = True

        async def error_cb(error: Exception) -> None:
            await asyncio.sleep(0)
            if connecting:
                # it would try the same server again, and then tell only that none is
                raise error

        async def closed_cb() -> None:
            lost()
            await asyncio.sleep(0)

        try:
            await client.connect(
                servers=[server.url],
                name="anarchon",
                error_cb=error_cb,
                closed_cb=closed_cb,
                allow_reconnect=False,
                connect_timeout=CONNECT_TIMEOUT,
                ping_interval=PING_INTERVAL,
                max_outstanding_pings=1,
                tls=self._context(),
                user=server.user,
                password=server.password,
                token=server.token,
                pending_size=0,
            )
            self._check_encryption(client)
        except BaseException:
            connecting = False
            await closed(client)  # noqa: ASYNC102  bounded
            raise
        connecting = False
        return cast("NatsClient", client)

    def _context(self) -> ssl.SSLContext | None:
        if self._servers.tls and self._tls is None:
            self._tls = ssl.create_default_context(cafile=self._servers.tls_ca)
        return self._tls

    def _check_encryption(self, client: Client) -> None:
        # the driver goes on in the clear where a server doesn't ask for encryption
        info: Mapping[str, object] = getattr(client, "_server_info", {})
        if self._servers.tls and not info.get("tls_required"):
            raise BackendUnavailable(f"{self._servers} doesn't encrypt")

    def __str__(self) -> str:
        return str(self._servers)

    def __repr__(self) -> str:
        return repr(self._servers)


class FromFactory:
    """Clients that the user's function makes, one whenever the last one has closed."""

    owned = True

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    async def client(self, lost: Callable[[], None]) -> NatsClient:  # noqa: ARG002
        """Call the function in this loop."""
        made = self._make()
        if inspect.isawaitable(made):
            made = await made
        if not isinstance(made, Client):
            raise InvalidOption(
                "what makes a client for NatsBackend must return a client of nats-py, "
                f"not a {type(made).__name__}"
            )
        return cast("NatsClient", made)  # noqa: ASYNC910  the user may not wait

    def __repr__(self) -> str:
        # its own repr may have a URL in it
        return f"<{type(self._make).__name__}>"


class Given:
    """The user's own client, which reconnects as the user told it."""

    owned = False

    def __init__(self, client: Client) -> None:
        self._client = client

    async def client(self, lost: Callable[[], None]) -> NatsClient:  # noqa: ARG002
        """Return the client, if it is one of this loop."""
        reading: asyncio.Task[None] | None = getattr(
            self._client, "_reading_task", None
        )
        if reading is not None and reading.get_loop() is not asyncio.get_running_loop():
            raise InvalidOption(
                "this client of nats-py belongs to another asyncio loop"
            )
        if not self._client.is_connected:
            raise ConnectionError("the client isn't connected")
        await asyncio.sleep(0)
        return cast("NatsClient", self._client)

    def __repr__(self) -> str:
        return repr(self._client)
