"""Where connections come from, and who closes them.

Decides which servers are new enough. Must not know what a connection is used for.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol, cast

from aio_pika.abc import AbstractConnection as Connection
from aiormq.abc import AbstractChannel as Channel
from aiormq.exceptions import AMQPError

from anarchon.backends.address import Address
from anarchon.backends.rabbitmq.own import CONNECTS_WITHIN, OwnConnection
from anarchon.backends.rabbitmq.streams import (
    answering,
    close_channel,
    wire_of,
)
from anarchon.errors import BackendTooOld, InvalidOption

_LEAST = (3, 9)


class Connector(Protocol):
    """Gives connections that work now."""

    async def connect(self) -> Connection:
        """Return an open connection; cancelled, none is left open."""
        ...

    async def let_go(self, connection: Connection, channel: Channel | None) -> None:
        """Close what was opened for us."""
        ...


class ByUrl:
    """Opens a new connection each time."""

    def __init__(self, address: Address) -> None:
        self._url = address.url

    async def connect(self) -> Connection:
        """Connect to the server of the address."""
        connection = OwnConnection(self._url)
        await connection.open()
        return connection

    async def let_go(
        self,
        connection: Connection,
        channel: Channel | None,  # noqa: ARG002  it goes with its connection
    ) -> None:
        """Close the connection, one way or the other."""
        assert isinstance(connection, OwnConnection)
        await connection.leave()


class ByFactory:
    """Has the user's function make a new connection each time."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make

    async def connect(self) -> Connection:
        """Ask for a connection, and wait for it if need be.

        Raises:
            InvalidOption: it is something else.
        """
        async with asyncio.timeout(CONNECTS_WITHIN):
            made = await _awaited(self._make())
        if not isinstance(made, Connection):
            raise InvalidOption(
                "what makes a client for RabbitMQBackend must return a connection of "
                f"aio_pika, not {type(made)}"
            )
        return made

    async def let_go(  # noqa: ASYNC910  it waits
        self,
        connection: Connection,
        channel: Channel | None,  # noqa: ARG002  it goes with its connection
    ) -> None:
        """Close the connection; that takes as long as the driver likes."""
        with suppress(AMQPError, OSError, RuntimeError), answering():
            await connection.close()


class ByClient:
    """Uses the connection that the user has, and leaves it open."""

    def __init__(self, client: Connection) -> None:
        self._client = client

    async def connect(self) -> Connection:
        """Return the user's connection.

        Raises:
            InvalidOption: it belongs to another loop.
            ConnectionError: it is closed; only its owner could open it again.
        """
        loop = getattr(self._client, "loop", None)
        if loop is not None and loop is not asyncio.get_running_loop():
            raise InvalidOption(
                "the connection that RabbitMQBackend was given belongs to another "
                "event loop than the one that it is used in"
            )
        try:
            wire_of(self._client)
        except ConnectionError:
            raise ConnectionError(
                "the connection that RabbitMQBackend was given is closed, and only "
                "its owner can open it again"
            ) from None
        return self._client  # noqa: ASYNC910  opening a channel on it follows

    async def let_go(  # noqa: ASYNC910  there may be nothing to close
        self,
        connection: Connection,  # noqa: ARG002  it is the user's
        channel: Channel | None,
    ) -> None:
        """Close our channel on it."""
        if channel is not None:
            await close_channel(channel)


def check_version(connection: Connection) -> None:
    """Refuse a server that doesn't know streams.

    Raises:
        BackendTooOld: names the version that was found, and the one that is needed.
    """
    properties = wire_of(connection).server_properties
    product, version = (_text(properties.get(key)) for key in ("product", "version"))
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    # others that speak AMQP count their versions differently
    if product == "RabbitMQ" and numbers < _LEAST:
        least = ".".join(map(str, _LEAST))
        raise BackendTooOld(
            f"RabbitMQ {version} has no streams: RabbitMQ {least} or newer is needed"
        )


async def _awaited(made: object) -> object:
    if isinstance(made, Awaitable):
        return await cast("Awaitable[object]", made)
    return made  # noqa: ASYNC910  the user may not wait


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
