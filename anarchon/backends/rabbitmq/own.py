"""A connection of our own, which can be closed though its server is silent.

Decides how it is closed, and within which time. Must not know what it is used for. The
driver closes in good order only; on a dead connection that takes long, and a program
whose loop ends meanwhile may never end.
"""

import asyncio

import aio_pika
from aiormq.connection import (
    TCPTransportFactory,
    TLSTransportFactory,
    TransportFactory,
)
from aiormq.exceptions import InvalidFrameError
from yarl import URL

from anarchon.backends.rabbitmq.streams import CLOSES_WITHIN

CONNECTS_WITHIN = 5.0

# the driver's own is so long that a dead connection would live for minutes
_HEARTBEAT = 10
_ENDS_WITHIN = 0.4


class OwnConnection(aio_pika.Connection):
    """A connection of aio-pika's that can be broken off."""

    def __init__(self, url: str) -> None:
        given = URL(url)
        super().__init__(
            given.update_query({"heartbeat": _HEARTBEAT, **given.query}),
            client_properties={"connection_name": "anarchon"},
        )
        self._host = given.path.removeprefix("/") or "/"
        self._stream = _Stream(encrypted=given.scheme == "amqps")
        self.kwargs["transport_factory"] = self._stream

    async def open(self) -> None:
        """Connect; cancelled, nothing is left open."""
        try:
            await self.connect(timeout=CONNECTS_WITHIN)
        except InvalidFrameError:
            await self.close()  # noqa: ASYNC120  nothing is open
            raise ConnectionError(
                "the server ended the connection at its start: is there a virtual "
                f"host {self._host!r}, and may this user use it?"
            ) from None
        except BaseException:
            # else it would try that when it is forgotten
            await self.close()  # noqa: ASYNC102  nothing is open
            raise

    async def leave(self) -> None:
        """Close it in good order if the server answers soon, or else break it off."""
        closing = asyncio.ensure_future(self.close())
        closing.add_done_callback(_look_at)
        await asyncio.wait([closing], timeout=CLOSES_WITHIN)
        if not closing.done():
            self._stream.abort()
            await asyncio.wait([closing], timeout=_ENDS_WITHIN)


class _Stream(TransportFactory):
    """Opens the stream of bytes as the driver would, and keeps hold of it."""

    def __init__(self, *, encrypted: bool) -> None:
        self._plain = TLSTransportFactory() if encrypted else TCPTransportFactory()
        self._writer: asyncio.StreamWriter | None = None

    async def create(
        self, url: URL, **kwargs: object
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the server's port."""
        reader, self._writer = await self._plain.create(url, **kwargs)
        return reader, self._writer

    def abort(self) -> None:
        """End it at once, whatever is still to be sent."""
        if self._writer is not None:
            self._writer.transport.abort()


def _look_at(closing: asyncio.Future[None]) -> None:
    if not closing.cancelled():
        closing.exception()
