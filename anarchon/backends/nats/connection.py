"""The way to a NATS server, made anew whenever it is needed and was lost.

Decides when a connection counts as lost. Must not know what is asked for.
"""

import asyncio
from collections.abc import Sequence

from anarchon.backends.nats.clients import Source, closed
from anarchon.backends.nats.driver import Message, Version
from anarchon.backends.nats.line import Line, NoAnswer

# seconds for a request, with connecting if that is necessary
ANSWERS_WITHIN = 5.0
# a request that was given up so early says nothing about the connection
SOON = 0.25


class Connection:
    """Requests to a server; a request that fails is an exception, never repeated.

    A connection on which a request isn't answered, and nothing else either, is dropped:
    it may be half open. The next request makes a new one. A client that the user made
    is left to its own reconnecting; while it isn't connected, requests fail at once.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._line: Line | None = None
        self._made = 0
        self._closed = False
        self._connecting = asyncio.Lock()
        self._loop = asyncio.get_running_loop()

    @property
    def identity(self) -> tuple[int, int] | None:
        """Something that differs for each connection; ``None`` while there is none."""
        line = self._living()
        return None if line is None else (self._made, line.client.stats["reconnects"])

    async def version(self) -> Version:
        """Return the version of the server."""
        return (await self._ready()).client.connected_server_version

    async def ask(self, subject: str, payload: bytes = b"") -> Message:
        """Send a request and return its answer; cancelled, it may have been sent."""
        sent = self._loop.time()
        line = await self._ready()
        try:
            return await line.ask(subject, payload, sent + ANSWERS_WITHIN)
        except (NoAnswer, asyncio.CancelledError):
            await self._look_at(line, sent)  # noqa: ASYNC102  bounded
            raise

    async def ask_all(self, subject: str, payloads: Sequence[bytes]) -> list[Message]:
        """Send requests without waiting in between; return the answers in order.

        Cancelled, any of them may have been sent.
        """
        sent = self._loop.time()
        line = await self._ready()
        try:
            return await line.ask_all(subject, payloads, sent + ANSWERS_WITHIN)
        except (NoAnswer, asyncio.CancelledError):
            await self._look_at(line, sent)  # noqa: ASYNC102  bounded
            raise

    async def tell(self, subject: str, payload: bytes = b"") -> None:
        """Send a request whose answer doesn't matter."""
        await (await self._ready()).tell(subject, payload)

    async def close(self) -> None:  # noqa: ASYNC910  there may be nothing to close
        """Close what this store made, for good; it takes a second at most."""
        self._closed = True
        if self._line is not None:
            await self._drop(self._line)

    async def _look_at(self, line: Line, sent: float) -> None:  # noqa: ASYNC910  as said
        """Drop a line on which nothing was heard since a request was sent, no other."""
        silent = self._loop.time() - sent > SOON and line.heard <= sent
        if silent and self._source.owned:
            await self._drop(line)

    async def _ready(self) -> Line:
        if (line := self._living()) is not None:
            return line  # noqa: ASYNC910  what it is for is a checkpoint
        async with asyncio.timeout(ANSWERS_WITHIN), self._connecting:
            if (line := self._living()) is None:
                if self._line is not None:
                    await self._drop(self._line)
                line = self._line = await self._new_line()
            if self._closed:
                # an operation that nobody waits for any more may outlast the store
                await self._drop(line)
                raise NoAnswer("the store is closed")
            return line

    def _living(self) -> Line | None:
        line = self._line
        return None if line is None or line.client.is_closed else line

    async def _new_line(self) -> Line:
        line = Line(self._loop)
        client = await self._source.client(line.lost)
        try:
            await line.open(client)
        except BaseException:
            if self._source.owned:
                await closed(client)  # noqa: ASYNC102  bounded
            raise
        self._made += 1
        return line

    async def _drop(self, line: Line) -> None:
        if self._line is line:
            self._line = None
        await line.close()
        if self._source.owned:
            await closed(line.client)
