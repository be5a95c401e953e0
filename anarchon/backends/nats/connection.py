"""The way to a NATS server, made anew whenever it is needed and was lost.

Decides when a connection counts as lost. Must not know what is asked for.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

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
        self._connecting = asyncio.Lock()

    async def identity(self) -> tuple[int, int]:
        """Connect if necessary; return something that differs for each connection."""
        async with asyncio.timeout(ANSWERS_WITHIN):
            line = await self._ready()
        return id(line), line.client.stats["reconnects"]

    async def version(self) -> Version:
        """Return the version of the server."""
        async with asyncio.timeout(ANSWERS_WITHIN):
            return (await self._ready()).client.connected_server_version

    async def ask(self, subject: str, payload: bytes = b"") -> Message:
        """Send a request and return its answer; cancelled, it may have been sent."""
        async with self._heeded() as line:
            return await line.ask(subject, payload)

    async def collect(self, subject: str, payload: bytes, most: int) -> list[Message]:
        """Send a request and return all that is delivered, ``most`` at most."""
        async with self._heeded() as line:
            return await line.collect(subject, payload, most)

    async def tell(self, subject: str, payload: bytes = b"") -> None:
        """Send a request whose answer doesn't matter."""
        async with self._heeded() as line:
            await line.tell(subject, payload)

    async def close(self) -> None:
        """Close what this store made, within a second or so."""
        if self._line is not None:
            await self._drop(self._line)

    @asynccontextmanager
    async def _heeded(self) -> AsyncGenerator[Line]:
        """Give the line for one request, and drop it if it turns out to be dead."""
        line, sent = None, 0.0
        try:
            async with asyncio.timeout(ANSWERS_WITHIN):
                line = await self._ready()
                sent = asyncio.get_running_loop().time()
                yield line
        except (TimeoutError, asyncio.CancelledError) as error:
            if line is not None and self._is_dead(line, sent):
                await self._drop(line)
            if isinstance(error, TimeoutError):
                raise NoAnswer(f"no answer within {ANSWERS_WITHIN:g} s") from None
            raise

    async def _ready(self) -> Line:
        line = self._line
        if line is not None and not line.client.is_closed:
            return line
        async with self._connecting:
            if self._line is None or self._line.client.is_closed:
                line = Line()
                await line.open(self._source)
                self._line = line
            return self._line

    def _is_dead(self, line: Line, sent: float) -> bool:
        age = asyncio.get_running_loop().time() - sent
        return self._source.owned and age > SOON and line.heard <= sent

    async def _drop(self, line: Line) -> None:
        if self._line is line:
            self._line = None
        await line.close()
        if self._source.owned:
            await closed(line.client)
