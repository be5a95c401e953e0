"""One connection's life: what is read from the log through it, and written to it.

Decides when a connection is no good any more. Must not know what the entries mean, nor
what happens once it is lost.
"""

import asyncio
import time
from collections.abc import Callable

from aio_pika.abc import AbstractConnection as Connection
from aiormq.abc import AbstractChannel as Channel
from aiormq.exceptions import DeliveryError, PublishError

from anarchon.backends.rabbitmq.entries import Entry, Mark, new_id, packed
from anarchon.backends.rabbitmq.streams import (
    ANSWERS_WITHIN,
    Tap,
    closing_of,
    publish,
)

_DOUBTFUL_AFTER = 0.4

Hear = Callable[[int, bytes], str | None]


class Link:
    """A connection with a tap on the log of claims.

    ``hear`` takes each entry in and returns its id, if it has one. ``lost`` is done,
    with the reason, once the link is no good any more.
    """

    def __init__(
        self, connection: Connection, channel: Channel, stream: str, hear: Hear
    ) -> None:
        self.connection = connection
        self.channel = channel
        loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[Exception] = loop.create_future()
        self._loop = loop
        self._stream = stream
        self._hear = hear
        self._tap = Tap(channel, self._on_entry)
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self._heard_at = time.monotonic()
        closing_of(channel).add_done_callback(self._on_closed)
        channel.on_consumer_cancel_callbacks.add(self._on_cancelled)

    async def open(self, since: int | str) -> None:
        """Read from an offset on, or from a place that the server knows, to the end.

        The end is a mark of our own. It is there before the reading starts, since a
        stream that is being made can't be read, which writing to it tells sooner.

        Raises:
            ConnectionError: the link was lost meanwhile.
        """
        read_back = await self._publish(Mark())
        await self._tap.open(self._stream, since)
        await read_back

    def close(self) -> None:
        """Read no more; connection and channel are left to whoever opened them."""
        self._tap.mute()
        self.lose(ConnectionError("it was closed"))

    async def append(self, entry: Entry) -> None:
        """Add an entry to the log, and return when it was read back.

        By then all that stands before it was read. Cancelled, it is in the log or not.

        Raises:
            ConnectionError: the link was lost meanwhile.
        """
        await (await self._publish(entry))

    def lose(self, reason: Exception) -> None:
        """Give the link up; whoever waits for an entry is told."""
        if not self.lost.done():
            self.lost.set_result(reason)
        for read_back in self._awaited.values():
            if not read_back.done():
                read_back.set_exception(_broken(reason))
                # the one who waits may have left
                read_back.exception()
        self._awaited.clear()

    def doubt(self, since: float) -> None:
        """Give the link up if it was silent since then, and that is long enough.

        Somebody left without an answer, so that nobody waits for one any more.
        """
        waited = time.monotonic() - since
        if waited >= _DOUBTFUL_AFTER and self._heard_at < since:
            self.lose(TimeoutError(f"nothing was read for {waited:.1f} s"))

    async def _publish(self, entry: Entry) -> asyncio.Future[None]:
        """Add an entry; what is returned is done when it was read back."""
        entry_id = new_id()
        read_back = self._await(entry_id)
        try:
            await publish(self.channel, self._stream, packed(entry_id, entry))
        except PublishError as error:
            # the stream was deleted
            self.lose(error)
            raise _broken(error) from error
        except DeliveryError:
            # refused by the server: nothing will be read back
            self._awaited.pop(entry_id, None)
            raise
        return read_back

    def _await(self, entry_id: str) -> asyncio.Future[None]:
        if self.lost.done():
            raise _broken(self.lost.result())
        self._awaited[entry_id] = read_back = self._loop.create_future()
        self._loop.call_later(ANSWERS_WITHIN, self._check, entry_id)
        return read_back

    def _check(self, entry_id: str) -> None:
        """Give the link up if nothing is read through it, whoever still waits."""
        if entry_id not in self._awaited:
            return
        silent_for = time.monotonic() - self._heard_at
        if silent_for >= ANSWERS_WITHIN:
            self.lose(TimeoutError(f"nothing was read for {silent_for:.1f} s"))
        else:
            rest = ANSWERS_WITHIN - silent_for
            self._loop.call_later(rest, self._check, entry_id)

    def _on_entry(self, offset: int, body: bytes) -> None:
        if self.lost.done():
            return
        self._heard_at = time.monotonic()
        try:
            entry_id = self._hear(offset, body)
        except LookupError as gap:
            self.lose(gap)
            return
        read_back = self._awaited.pop(entry_id, None) if entry_id else None
        if read_back is not None and not read_back.done():
            read_back.set_result(None)

    def _on_closed(self, closing: asyncio.Future[object]) -> None:
        error = None if closing.cancelled() else closing.exception()
        self.lose(ConnectionError(f"the connection was closed: {error!r}"))

    def _on_cancelled(self, _: object) -> None:
        self.lose(ConnectionError(f"the server reads {self._stream} out no more"))


def _broken(reason: Exception) -> ConnectionError:
    error = ConnectionError(f"the connection is no good any more: {reason}")
    error.__cause__ = reason
    return error
