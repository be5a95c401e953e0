"""What a call costs on the wire: bytes each way, and round trips, counted.

Decides what a round trip is: bytes that leave after bytes that came, or first of all.
One call is under way at a time, so all that passes belongs to it.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream

HOST = "127.0.0.1"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What passed for one call, on average; the bytes are those of the connection."""

    round_trips: float
    sent: float
    received: float


class Meter:
    """A way to a server that counts what passes."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._round_trips = self._sent = self._received = 0
        self._answered = True

    async def traffic_of(
        self, call: Callable[[T], Awaitable[object]], things: Sequence[T]
    ) -> Traffic:
        """Call with one thing after the other, and return what one call took."""
        self._round_trips = self._sent = self._received = 0
        self._answered = True
        for thing in things:
            await call(thing)
        return Traffic(
            round_trips=self._round_trips / len(things),
            sent=self._sent / len(things),
            received=self._received / len(things),
        )

    async def lead(self, client: SocketStream) -> None:
        """Lead one connection to the server, until either end closes it."""
        async with (
            client,
            await anyio.connect_tcp(HOST, self._target) as server,
            anyio.create_task_group() as pumps,
        ):
            pumps.start_soon(_pump, client, server, self._send)
            await _pump(server, client, self._receive)
            pumps.cancel_scope.cancel()

    def _send(self, size: int) -> None:
        self._sent += size
        self._round_trips += self._answered
        self._answered = False

    def _receive(self, size: int) -> None:
        self._received += size
        self._answered = True


@asynccontextmanager
async def metered(url: str) -> AsyncGenerator[tuple[str, Meter]]:
    """Yield a URL that leads to the same server through a meter, and the meter."""
    target = urlsplit(url).port
    assert target is not None, url
    meter = Meter(target)
    async with (
        await anyio.create_tcp_listener(local_host=HOST) as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, meter.lead)
        port = listener.extra(SocketAttribute.local_port)  # noqa: S610  not Django's
        yield url.replace(f":{target}", f":{port}", 1), meter
        group.cancel_scope.cancel()


async def _pump(
    source: SocketStream, target: SocketStream, count: Callable[[int], None]
) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for data in source:
            count(len(data))
            await target.send(data)
        # whoever hears that nothing more comes closes its own end too
        await target.send_eof()
