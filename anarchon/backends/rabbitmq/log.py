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
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar, TypeVarTuple

from aio_pika.abc import AbstractConnection as Connection
from aiormq.exceptions import (
    AMQPChannelError,
    ChannelPreconditionFailed,
    ConnectionClosed,
)

from anarchon.backends.rabbitmq.connecting import Connector, check_version
from anarchon.backends.rabbitmq.entries import unpacked
from anarchon.backends.rabbitmq.link import Link
from anarchon.backends.rabbitmq.quiet import quietly
from anarchon.backends.rabbitmq.streams import (
    ANSWERS_WITHIN,
    declare,
    open_channel,
)
from anarchon.backends.rabbitmq.table import Table
from anarchon.errors import BackendUnavailable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

logger: logging.Logger = logging.getLogger("anarchon")

_SEGMENT = 1_000_000
_LEAVES_WITHIN = 2.0
_FOUND_WITHIN = 2.0
_PAUSES = (0.05, 0.1, 0.2, 0.5)


class Gap(LookupError):
    """The newest entry that was read is no longer where it was."""


class ClaimLog:
    """Keeps a table up to date with the log, through one link after another."""

    def __init__(self, connector: Connector, stream: str, remember: int) -> None:
        self.table: Table = Table(remember)
        self._connector = connector
        self._stream = stream
        self._remember = f"{remember}s"
        self._newest: tuple[int, bytes] | None = None
        self._found = True
        self._link: asyncio.Future[Link] = _nothing_yet()
        self._leaving: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Read the log as far as it goes, and follow it in the block."""
        try:
            link = await self._attached_at_first()
            following = asyncio.create_task(self._follow(link))
            try:
                yield
            finally:
                following.cancel()
                await asyncio.wait([following])  # noqa: ASYNC102  it only ends
        finally:
            if self._leaving:
                await asyncio.wait(  # noqa: ASYNC102  bounded
                    self._leaving, timeout=_LEAVES_WITHIN
                )

    async def using(
        self, operation: Callable[[Link, *Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        """Carry out an operation on the link that works now, and return its answer.

        When the link breaks meanwhile, the operation is carried out once more on the
        next one. One that takes too long ends the link, so that the next operation
        finds another.

        Raises:
            TimeoutError: there was no link in time, or no answer.
            ConnectionError: there is no link, or it broke twice.
        """
        begun = time.monotonic()
        try:
            with quietly():
                async with asyncio.timeout(ANSWERS_WITHIN):
                    return await self._twice(operation, *args)
        except TimeoutError as error:
            late = TimeoutError(f"no answer within {ANSWERS_WITHIN:g} s")
            if (link := self._now()) is not None:
                link.lose(late)
            raise late from error
        except asyncio.CancelledError:
            if (link := self._now()) is not None:
                link.doubt(since=begun)
            raise

    async def _twice(
        self, operation: Callable[[Link, *Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        link = await self._working()
        try:
            return await operation(link, *args)
        except ConnectionError as error:
            link.lose(error)
        return await operation(await self._working(), *args)

    def _now(self) -> Link | None:
        """Return the link that works now, if there is one."""
        there = self._link.done() and self._link.exception() is None
        return self._link.result() if there else None

    async def _working(self) -> Link:
        while True:
            link = await asyncio.shield(self._link)
            if not link.lost.done():
                return link
            # its follower hasn't heard yet
            await asyncio.sleep(0)

    async def _follow(self, link: Link) -> None:
        while True:
            try:
                self._link.set_result(link)
                await link.lost
            finally:
                self._link = _nothing_yet()
                self._let_go(link.connection, link)
            link = await self._attached_again()

    async def _attached_at_first(self) -> Link:
        for pause in _PAUSES:
            try:
                return await self._attach()
            except (AMQPChannelError, ConnectionClosed):
                # so the server answers while the stream is being made, or recovered
                await _rest(pause)
        return await self._attach()

    async def _attached_again(self) -> Link:
        pauses = iter(_PAUSES)
        while True:
            try:
                return await self._attach()
            except Exception as error:  # noqa: BLE001  those who wait are told
                self._link.set_exception(_unreachable(error))
                self._link = _nothing_yet()
            await _rest(next(pauses, _PAUSES[-1]))

    async def _attach(self) -> Link:
        with quietly():
            connection = await self._connector.connect()
            return await self._attach_to(connection)

    async def _attach_to(self, connection: Connection) -> Link:
        link = None
        try:
            check_version(connection)
            channel = await open_channel(connection)
            link = Link(connection, channel, self._stream, self._hear)
            await self._read_all(link)
        except BaseException:
            self._let_go(connection, link)
            raise
        return link

    def _let_go(self, connection: Connection, link: Link | None) -> None:
        """Have a connection closed, without waiting: it may be dead."""
        channel = None
        if link is not None:
            channel = link.channel
            link.close()
        leaving = asyncio.create_task(self._connector.let_go(connection, channel))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def _read_all(self, link: Link) -> None:
        await self._declare(link)
        if self._newest is None:
            self._found = True
            await link.open(self._remember)
        else:
            self._found = False
            loop = asyncio.get_running_loop()
            loop.call_later(_FOUND_WITHIN, self._look_for_it, link)
            await link.open(self._newest[0])

    def _look_for_it(self, link: Link) -> None:
        """Go on somewhere else if the newest entry is not there; it comes first."""
        if not self._found and not link.lost.done():
            self._newest = None
            link.lose(Gap("the entry that was expected didn't come"))

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
        before, self._newest = self._newest, None
        if not self._found and (offset, body) != before:
            raise Gap(f"the entry at {offset} is not the one that was expected")
        if self._found and before is not None and offset <= before[0]:
            raise Gap(f"the entry at {offset} came after {before[0]}")
        self._found, self._newest = True, (offset, body)
        try:
            entry_id, entry = unpacked(body)
        except ValueError as error:
            logger.warning(
                "entry %d of the stream %s is ignored: %s", offset, self._stream, error
            )
            return None
        self.table.apply(entry, time.monotonic())
        return entry_id


def _nothing_yet() -> asyncio.Future[Link]:
    link: asyncio.Future[Link] = asyncio.get_running_loop().create_future()
    # often nobody waits for it
    link.add_done_callback(_look_at)
    return link


def _unreachable(reason: Exception) -> ConnectionError:
    error = ConnectionError(f"there is no connection: {reason}")
    error.__cause__ = reason
    return error


async def _rest(pause: float) -> None:
    await asyncio.sleep(random.uniform(pause / 2, pause))


def _look_at(link: asyncio.Future[Link]) -> None:
    if not link.cancelled():
        link.exception()
