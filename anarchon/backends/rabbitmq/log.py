"""The log of claims: one stream that every instance reads as a whole, in its order.

Decides that no entry is ever missed. Must not know who wins.

Whoever missed an entry could take another's slot for free, so nothing is answered
before everything is read: a new reader adds a mark of its own and waits until it
comes out at the end. When a connection is lost, its successor goes on at the newest
entry that was read, which must be found in its place. If it isn't, the stream was
trimmed or made anew meanwhile, and is read from its beginning, as at the start.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aio_pika.abc import AbstractConnection as Connection
from aiormq.exceptions import ChannelPreconditionFailed

from anarchon.backends.rabbitmq.connecting import Connector, check_version
from anarchon.backends.rabbitmq.entries import Entry, Mark, unpacked
from anarchon.backends.rabbitmq.link import Link
from anarchon.backends.rabbitmq.quiet import quietly
from anarchon.backends.rabbitmq.streams import (
    ANSWERS_WITHIN,
    declare,
    open_channel,
)
from anarchon.backends.rabbitmq.table import Table
from anarchon.errors import BackendUnavailable

logger: logging.Logger = logging.getLogger("anarchon")

_SEGMENT = 1_000_000
_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)


class Gap(LookupError):
    """The newest entry that was read is no longer where it was."""


class ClaimLog:
    """Keeps a table up to date with the log, through one link after another."""

    def __init__(self, connector: Connector, stream: str, remember: int) -> None:
        self.table = Table(remember)
        self._connector = connector
        self._stream = stream
        self._remember = f"{remember}s"
        self._newest: tuple[int, bytes] | None = None
        self._found = True
        self._link: Link | None = None
        self._live = asyncio.Event()
        self._trouble: Exception | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Read the log as far as it goes, and follow it in the block."""
        link = await self._attached()
        following = asyncio.create_task(self._follow(link))
        try:
            yield
        finally:
            following.cancel()
            await asyncio.wait([following])

    @asynccontextmanager
    async def link(self) -> AsyncGenerator[Link]:
        """Give the link that works now, for one operation.

        One that takes too long ends the link, so that the next one finds another.

        Raises:
            TimeoutError: there was no link in time, or no answer.
        """
        link = None
        try:
            async with asyncio.timeout(ANSWERS_WITHIN):
                link = await self._working()
                yield link
        except TimeoutError:
            reason = TimeoutError(f"no answer within {ANSWERS_WITHIN:g} s")
            if link is None:
                raise TimeoutError(f"no connection: {self._trouble}") from None
            link.lose(reason)
            raise reason from None

    async def append(self, entry: Entry) -> None:
        """Add an entry and return when the table knows it, and all before it.

        Cancelled, it is in the log or not.
        """
        async with self.link() as link:
            await link.append(entry)

    async def _working(self) -> Link:
        while self._link is None:
            await self._live.wait()
        return self._link

    async def _follow(self, link: Link) -> None:
        while True:
            try:
                self._link = link
                self._live.set()
                self._trouble = await link.lost
            finally:
                self._link = None
                self._live.clear()
                await self._let_go(link.connection, link)
            link = await self._attached_again()

    async def _attached_again(self) -> Link:
        pauses = iter(_PAUSES)
        while True:
            try:
                return await self._attached()
            except Exception as error:  # noqa: BLE001  whoever asks next is told
                self._trouble = error
            pause = next(pauses, _PAUSES[-1])
            await asyncio.sleep(random.uniform(pause / 2, pause))

    async def _attached(self) -> Link:
        with quietly():
            try:
                return await self._attach()
            except ConnectionError as error:
                if not isinstance(error.__cause__, Gap):
                    raise
            self._newest = None
            return await self._attach()

    async def _attach(self) -> Link:
        connection = await self._connector.connect()
        link = None
        try:
            check_version(connection)
            channel = await open_channel(connection)
            link = Link(connection, channel, self._stream, self._hear)
            await self._read_all(link)
        except BaseException:
            await self._let_go(connection, link)
            raise
        return link

    async def _let_go(self, connection: Connection, link: Link | None) -> None:
        channel = None
        if link is not None:
            channel = link.channel
            link.close()
        await self._connector.let_go(connection, channel)

    async def _read_all(self, link: Link) -> None:
        await self._declare(link)
        self._found = self._newest is None
        since = self._remember if self._newest is None else self._newest[0]
        await link.open(since)
        await link.append(Mark())

    async def _declare(self, link: Link) -> None:
        bounds: dict[str, str | int] = {
            "x-max-age": self._remember,
            "x-stream-max-segment-size-bytes": _SEGMENT,
        }
        try:
            await declare(link.channel, self._stream, bounds)
        except ChannelPreconditionFailed as error:
            raise BackendUnavailable(
                f"the stream {self._stream!r} was made with other settings; all "
                "instances need the same value of remember, and to change it the "
                f"stream must be deleted while none runs: {error}"
            ) from None

    def _hear(self, offset: int, body: bytes) -> str | None:
        """Take an entry into the table, once; return its id."""
        if not self._found:
            if (offset, body) != self._newest:
                raise Gap(f"the entry at {offset} is not the one that was expected")
            self._found = True
            return None
        if self._newest is not None and offset <= self._newest[0]:
            raise Gap(f"the entry at {offset} came after {self._newest[0]}")
        self._newest = (offset, body)
        try:
            entry_id, entry = unpacked(body)
        except ValueError as error:
            logger.warning(
                "entry %d of the stream %s is ignored: %s", offset, self._stream, error
            )
            return None
        self.table.apply(entry, time.monotonic())
        return entry_id
