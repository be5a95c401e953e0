"""The few words of AMQP that streams need, and the types of the driver beneath.

Channels are those of aiormq, on which aio-pika stands: aio-pika's own restore
themselves after an outage and would hide that entries were missed. Must not know what
is in the streams.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import cast

from aio_pika.abc import AbstractConnection as Connection
from aiormq.abc import AbstractChannel as Channel
from aiormq.abc import AbstractConnection as Wire
from aiormq.abc import DeliveredMessage
from aiormq.exceptions import AMQPError, ChannelInvalidStateError
from pamqp.commands import Basic, Queue

ANSWERS_WITHIN = 4.0
CLOSES_WITHIN = 1.5

_READ_AHEAD = 1_000
_ACKNOWLEDGE_AFTER = 0.02
_PERSISTENT = 2
_CLOSED = "the connection is closed"


def wire_of(connection: Connection) -> Wire:
    """Return what is beneath a connection.

    Raises:
        ConnectionError: it is closed, or not open again yet.
    """
    transport = connection.transport
    if transport is None or not transport.connection.is_opened:
        raise ConnectionError(_CLOSED)
    return transport.connection


@contextmanager
def answering() -> Generator[None]:
    """Tell a connection that was closed meanwhile by ``ConnectionError`` alone.

    The driver says so in several ways; one is a cancellation that nobody asked for.
    """
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ConnectionError(_CLOSED) from None  # noqa: ASYNC104  nobody asked
    except ChannelInvalidStateError as error:
        raise ConnectionError(_CLOSED) from error


async def open_channel(connection: Connection) -> Channel:
    """Open a channel, which confirms what is published."""
    with answering():
        return await wire_of(connection).channel(timeout=ANSWERS_WITHIN)


@asynccontextmanager
async def channel_for(connection: Connection) -> AsyncGenerator[Channel]:
    """Open a channel that may break, and close it."""
    channel = await open_channel(connection)
    try:
        yield channel
    finally:
        await close_channel(channel)  # noqa: ASYNC102  bounded


async def close_channel(channel: Channel) -> None:  # noqa: ASYNC910  it waits
    """Close a channel, or leave it as it is when that takes too long."""
    with suppress(TimeoutError, AMQPError, ConnectionError), answering():
        async with asyncio.timeout(CLOSES_WITHIN):
            await channel.close()


def closing_of(channel: Channel) -> asyncio.Future[object]:
    """Return what is done, with the reason, once a channel is closed."""
    return cast(
        "asyncio.Future[object]",
        channel.closing,  # pyright: ignore[reportUnknownMemberType]
    )


async def declare(
    channel: Channel, stream: str, bounds: Mapping[str, str | int]
) -> Queue.DeclareOk:
    """Create a stream with such bounds; harmless when there is the same one."""
    with answering():
        return await channel.queue_declare(
            stream,
            durable=True,
            arguments={"x-queue-type": "stream", **bounds},
            timeout=ANSWERS_WITHIN,
        )


async def look_at(channel: Channel, stream: str) -> Queue.DeclareOk:
    """Return what the server says of a stream that is there."""
    with answering():
        return await channel.queue_declare(stream, passive=True, timeout=ANSWERS_WITHIN)


async def publish(channel: Channel, stream: str, body: bytes) -> None:
    """Add an entry to a stream; returns when the server has it.

    Raises:
        PublishError: there is no such stream.
    """
    properties = Basic.Properties(
        content_type="application/json", delivery_mode=_PERSISTENT
    )
    with answering():
        await channel.basic_publish(
            body,
            routing_key=stream,
            properties=properties,
            mandatory=True,
            timeout=ANSWERS_WITHIN,
        )


class Tap:
    """Reads a stream in order, as long as its channel lives.

    ``hear`` gets each entry with its offset and must not raise.
    """

    def __init__(self, channel: Channel, hear: Callable[[int, bytes], None]) -> None:
        self._channel = channel
        self._hear = hear
        self._newest_tag = 0
        self._acknowledging = False
        self._name: str | None = None

    async def open(self, stream: str, since: int | str) -> None:
        """Read from an offset on, or from one of the places that the server knows."""
        channel = self._channel
        with answering():
            await channel.basic_qos(prefetch_count=_READ_AHEAD, timeout=ANSWERS_WITHIN)
            reply = await channel.basic_consume(
                stream,
                self._on_message,
                arguments={"x-stream-offset": since},
                timeout=ANSWERS_WITHIN,
            )
        self._name = reply.consumer_tag

    def mute(self) -> None:
        """Acknowledge no more: on a channel that is closed it breaks the connection."""
        self._name = None

    async def close(self) -> None:  # noqa: ASYNC910  there may be nothing to close
        """Hear no more; what the server had sent before was heard."""
        name = self._name
        self.mute()
        if name is not None:
            with answering():
                await self._channel.basic_cancel(name, timeout=ANSWERS_WITHIN)

    async def _on_message(  # noqa: ASYNC910  the body of a task
        self, message: DeliveredMessage
    ) -> None:
        self._newest_tag = message.delivery_tag or 0
        self._hear(_offset_of(message), message.body)
        if not self._acknowledging:
            await self._acknowledge()

    async def _acknowledge(self) -> None:  # noqa: ASYNC910  there is something to
        """Acknowledge what was read, and with it all that comes in a moment.

        One at a time: on a busy connection the next one could overtake it, and the
        server breaks a channel on which anything is acknowledged twice.
        """
        self._acknowledging = True
        acknowledged = 0
        try:
            while acknowledged < self._newest_tag:
                await asyncio.sleep(_ACKNOWLEDGE_AFTER)
                if self._name is None:
                    break
                acknowledged = self._newest_tag
                with suppress(AMQPError):
                    await self._channel.basic_ack(
                        acknowledged, multiple=True, wait=False
                    )
        finally:
            self._acknowledging = False


def _offset_of(message: DeliveredMessage) -> int:
    offset = (message.header.properties.headers or {}).get("x-stream-offset")
    return offset if isinstance(offset, int) else -1
