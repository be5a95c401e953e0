"""One connected client, and the answers that are awaited from it.

Decides which message answers which request. Must not know what is asked for, nor when
a connection is given up.
"""

import asyncio
import itertools
from collections.abc import Iterable, Sequence
from contextlib import suppress

from anarchon.backends.nats.driver import Message, NatsClient, Subscription

STATUS = "Status"
NO_RESPONDERS = "503"
LATE = "there was no answer in time"


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
        _give_up(self._waiting.values(), "the connection was lost")

    async def ask(self, subject: str, payload: bytes, deadline: float) -> Message:
        """Send a request and return its answer; cancelled, it may have been sent."""
        # the way of many would make a claim slower by a tenth
        inbox, answer = self._expect()
        timer = self._loop.call_at(deadline, _give_up, (answer,), LATE)
        try:
            await self.client.publish(subject, payload, reply=inbox)
            return _checked(await answer)
        finally:
            timer.cancel()
            del self._waiting[inbox]
            _let_go(answer)

    async def ask_all(
        self, subject: str, payloads: Sequence[bytes], deadline: float
    ) -> list[Message]:
        """Send requests without waiting in between; return the answers in order.

        Cancelled, any of them may have been sent.
        """
        expected = dict(self._expect() for _ in payloads)
        timer = self._loop.call_at(deadline, _give_up, expected.values(), LATE)
        try:
            for inbox, payload in zip(expected, payloads, strict=True):
                await self.client.publish(subject, payload, reply=inbox)
            return [  # noqa: ASYNC910  there may be nothing to ask for
                _checked(await answer) for answer in expected.values()
            ]
        finally:
            timer.cancel()
            for inbox, answer in expected.items():
                del self._waiting[inbox]
                _let_go(answer)

    async def tell(self, subject: str, payload: bytes) -> None:
        """Send a request whose answer doesn't matter."""
        await self.client.publish(subject, payload, reply=f"{self._inbox}.0")

    def _expect(self) -> tuple[str, asyncio.Future[Message]]:
        """Return where an answer is expected, and what will be it."""
        if not self.client.is_connected:
            raise NoAnswer("the client isn't connected")
        inbox = f"{self._inbox}.{next(self._numbers)}"
        answer: asyncio.Future[Message] = self._loop.create_future()
        self._waiting[inbox] = answer
        return inbox, answer

    async def _receive(self, message: Message) -> None:  # noqa: ASYNC910  awaited
        self.heard = self._loop.time()
        answer = self._waiting.get(message.subject)
        if answer is not None and not answer.done():
            answer.set_result(message)


def _give_up(answers: Iterable[asyncio.Future[Message]], why: str) -> None:
    for answer in answers:
        if not answer.done():
            answer.set_exception(NoAnswer(why))


def _let_go(answer: asyncio.Future[Message]) -> None:
    # an error beside the one that is raised has to be looked at
    if not answer.cancel() and not answer.cancelled():
        answer.exception()


def _checked(message: Message) -> Message:
    if message.headers and message.headers.get(STATUS) == NO_RESPONDERS:
        raise NoAnswer("nobody answers: there is no such stream, or no JetStream")
    return message


async def _ended(subscription: Subscription) -> None:  # noqa: ASYNC910  it only sends
    # with its connection gone, there is nothing to end
    with suppress(Exception):
        await subscription.unsubscribe()
