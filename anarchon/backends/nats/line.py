"""One connected client, and the answers that are awaited from it.

Decides which message answers which request. Must not know what is asked for, nor when
a connection is given up.
"""

import asyncio
import itertools
from contextlib import suppress
from functools import partial

from anarchon.backends.nats.driver import Message, NatsClient, Subscription

STATUS = "Status"
NO_RESPONDERS = "503"


class NoAnswer(ConnectionError):
    """There was no answer: whether the request was carried out is unknown."""


class Line:
    """A client with one inbox for the answers to all requests.

    The driver's own requests aren't used: when the connection is lost, they go on
    waiting for what can't come any more. Deadlines are times of the loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.client: NatsClient
        self.heard: float = 0.0
        self._loop = loop
        self._subscription: Subscription
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        self._numbers = itertools.count(1)
        self._inbox = ""

    async def open(self, client: NatsClient) -> None:
        """Listen for the answers that this client is sent."""
        self.client = client
        self._inbox = client.new_inbox()
        self._subscription = await client.subscribe(
            f"{self._inbox}.*", cb=self._receive
        )

    async def close(self) -> None:
        """Stop listening; the client stays open."""
        self.lost()
        await _ended(self._subscription)

    def lost(self) -> None:
        """Tell everybody who waits that no answer will come."""
        for answer in self._waiting.values():
            _give_up(answer, "the connection was lost")

    async def ask(self, subject: str, payload: bytes, deadline: float) -> Message:
        """Send a request and return its answer; cancelled, it may have been sent."""
        inbox = f"{self._inbox}.{next(self._numbers)}"
        message = await self._answer(inbox, subject, payload, deadline)
        if message.headers and message.headers.get(STATUS) == NO_RESPONDERS:
            raise NoAnswer(f"nobody answers to {subject}: no stream, or no JetStream")
        return message

    async def collect(
        self, subject: str, payload: bytes, most: int, deadline: float
    ) -> list[Message]:
        """Send a request and return what is delivered, until there is no more."""
        inbox = self.client.new_inbox()
        found: list[Message] = []
        receive = partial(self._add, found, most, inbox)
        subscription = await self.client.subscribe(inbox, cb=receive)
        try:
            await self._answer(inbox, subject, payload, deadline)
        finally:
            await _ended(subscription)  # noqa: ASYNC102  it only sends
        return found

    async def tell(self, subject: str, payload: bytes) -> None:
        """Send a request whose answer doesn't matter."""
        await self.client.publish(subject, payload, reply=f"{self._inbox}.0")

    async def _answer(
        self, inbox: str, subject: str, payload: bytes, deadline: float
    ) -> Message:
        if not self.client.is_connected:
            raise NoAnswer("the client isn't connected")
        answer: asyncio.Future[Message] = self._loop.create_future()
        self._waiting[inbox] = answer
        why = f"no answer to {subject} in time"
        timer = self._loop.call_at(deadline, _give_up, answer, why)
        try:
            await self.client.publish(subject, payload, reply=inbox)
            return await answer
        finally:
            timer.cancel()
            del self._waiting[inbox]

    async def _receive(self, message: Message) -> None:  # noqa: ASYNC910  awaited
        self.heard = self._loop.time()
        self._take(message.subject, message)

    async def _add(  # noqa: ASYNC910  awaited
        self, found: list[Message], most: int, inbox: str, message: Message
    ) -> None:
        self.heard = self._loop.time()
        # a message of a stream can be acknowledged, a status can't
        if message.reply:
            found.append(message)
        if len(found) == most or not message.reply:
            self._take(inbox, message)

    def _take(self, inbox: str, message: Message) -> None:
        answer = self._waiting.get(inbox)
        if answer is not None and not answer.done():
            answer.set_result(message)


def _give_up(answer: asyncio.Future[Message], why: str) -> None:
    if not answer.done():
        answer.set_exception(NoAnswer(why))


async def _ended(subscription: Subscription) -> None:  # noqa: ASYNC910  it only sends
    # with its connection gone, there is nothing to end
    with suppress(Exception):
        await subscription.unsubscribe()
