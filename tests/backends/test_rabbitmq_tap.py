"""How a stream of RabbitMQ's is read, on a channel that is slow."""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import cast

import pytest
from aiormq.abc import AbstractChannel, DeliveredMessage
from pamqp.commands import Basic
from pamqp.header import ContentHeader

from anarchon.backends.rabbitmq.streams import Tap

# it is called in asyncio loops alone
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True),
]


class SlowChannel:
    """A channel whose first acknowledgement waits until it is let through."""

    def __init__(self) -> None:
        self.acknowledged: list[int] = []
        self.begun = asyncio.Event()
        self.let_through = asyncio.Event()
        self._hear: Callable[[DeliveredMessage], Awaitable[None]]

    async def deliver(self, tag: int) -> None:
        """Deliver an entry of the stream."""
        await self._hear(
            DeliveredMessage(
                delivery=Basic.Deliver(delivery_tag=tag),
                header=ContentHeader(
                    properties=Basic.Properties(headers={"x-stream-offset": tag})
                ),
                body=b"",
                channel=cast("AbstractChannel", self),
            )
        )

    async def basic_qos(self, **_: object) -> None:
        """Do nothing."""

    async def basic_consume(
        self,
        _: str,
        hear: Callable[[DeliveredMessage], Awaitable[None]],
        **__: object,
    ) -> SimpleNamespace:
        """Remember who hears."""
        self._hear = hear
        return SimpleNamespace(consumer_tag="tag")

    async def basic_ack(self, tag: int, **_: object) -> None:
        """Take an acknowledgement, the first one when it is let through."""
        if not self.begun.is_set():
            self.begun.set()
            await self.let_through.wait()
        self.acknowledged.append(tag)


async def test_no_acknowledgement_overtakes_another() -> None:
    """What was read is acknowledged in order, and nothing twice."""
    channel = SlowChannel()
    tap = Tap(cast("AbstractChannel", channel), lambda _, __: None)
    await tap.open("stream", "first")
    async with asyncio.timeout(5):
        first = asyncio.create_task(channel.deliver(1))
        await channel.begun.wait()
        await channel.deliver(2)
        channel.let_through.set()
        await first
    assert [1, 2] == channel.acknowledged
