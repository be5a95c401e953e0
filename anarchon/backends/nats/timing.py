"""What the store's time is read from: the server, or a clock that tests bring.

Decides how a server tells its time. Must not know what the time is for.
"""

import asyncio
import secrets
import time
from datetime import datetime
from typing import Protocol

from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.backends.nats.jetstream import JetStream, UnexpectedAnswer
from anarchon.backends.nats.server_time import Reading
from anarchon.backends.nats.subjects import Subjects


class Time(Protocol):
    """The store's time in milliseconds since 1970 UTC."""

    async def now(self) -> int:
        """Return it, asking the server if necessary."""
        ...

    def estimate(self) -> int:
        """Return it as it was last estimated."""
        ...


class GivenTime:
    """The time of a clock that a test brings."""

    def __init__(self, clock: StoreClock) -> None:
        self._clock = clock

    async def now(self) -> int:
        """Return the clock's time."""
        await asyncio.sleep(0)
        return self.estimate()

    def estimate(self) -> int:
        """Return the clock's time."""
        return milliseconds(self._clock.time())


class TimeReader:
    """Asks the leader of the stream of claims, whose clock lets claims grow old."""

    def __init__(self, jetstream: JetStream, subjects: Subjects) -> None:
        self._jetstream = jetstream
        self._subjects = subjects

    async def __call__(self) -> Reading:
        """Read the server's clock once."""
        sent = time.monotonic()
        info = await self._jetstream.api(f"STREAM.INFO.{self._subjects.claims}")
        received = time.monotonic()
        # servers before 2.10 don't tell
        if (told := info.get("ts")) is None:
            return await self._from_a_message()
        return Reading(_parsed(told), sent, received)

    async def _from_a_message(self) -> Reading:
        claims = self._subjects.claims
        sent = time.monotonic()
        subject = self._subjects.probe(secrets.token_hex(8))
        seq = await self._jetstream.put(claims, subject, b"")
        received = time.monotonic()
        stored = None
        if isinstance(seq, int):
            stored = await self._jetstream.at(claims, seq)
            await self._jetstream.delete(claims, seq)
        if stored is None:
            raise UnexpectedAnswer("a message that was stored is lost")
        return Reading(_parsed(stored.time), sent, received)


def _parsed(told: object) -> int:
    # finer than microseconds is cut off when it is read
    return milliseconds(datetime.fromisoformat(str(told)).timestamp())
