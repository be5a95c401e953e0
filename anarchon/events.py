"""What the scheduler tells the world: the kinds of events, and a stream of them.

Decides what each event says. Must not know who emits, who listens, nor any store.
"""

import logging
from collections import deque
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import anyio
import anyio.lowlevel
from anyio.abc import ObjectReceiveStream

from anarchon.model import Reason, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened; ``at`` is aware UTC by the instance's wall clock."""

    name: ClassVar[str]
    level: ClassVar[int] = logging.INFO

    instance_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent(Event):
    """An event of one attempt of one run."""

    job: str
    slot: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(RunEvent):
    """The handler is about to be called."""

    name = "start"

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Success(RunEvent):
    """The handler returned, and the write of it was answered or given up."""

    name = "success"

    record: RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(RunEvent):
    """The handler raised or ran past its timeout.

    ``exception`` is what it raised, which is logged with its traceback; ``None`` after
    a timeout.
    """

    name = "failure"
    level = logging.ERROR

    record: RunRecord
    exception: BaseException | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted(RunEvent):
    """A stop or a loss ended the attempt, or a run ended for good without its runner.

    ``final`` says that no further attempt follows: its attempts are used up, a newer
    run replaced it, or nobody takes up such a run, a manual one or one of a claim-only
    store. That is told by whichever instance noticed.
    """

    name = "interrupted"
    level = logging.WARNING

    record: RunRecord
    handed_over: bool
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(RunEvent):
    """The run is no longer this instance's: ``cause`` is ``refused`` or ``silence``."""

    name = "lost"
    level = logging.WARNING

    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip(RunEvent):
    """A scheduled or catch-up claim did not win.

    ``reason`` is ``taken``, ``overlap``, ``late`` or ``superseded``; ``by`` the
    instance that has the run, where that is known.
    """

    name = "skip"
    level = logging.DEBUG

    reason: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover(RunEvent):
    """This instance won the next attempt, ``waited`` seconds after the lease's end."""

    name = "takeover"
    level = logging.WARNING

    from_instance: str | None
    waited: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Event):
    """A store call failed or its data made no sense; scheduling goes on.

    ``again`` says that the store has been silent since an earlier error.
    """

    name = "error"
    level = logging.ERROR

    operation: str
    error: str
    job: str | None = None
    slot: int | None = None
    attempt: int | None = None
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSkew(Event):
    """The clock's estimated ``offset`` (s) to the store passed a second, or is back.

    Positive: the store is ahead of this instance.
    """

    name = "clock_skew"
    level = logging.WARNING

    offset: float


EVENT_NAMES = frozenset(
    kind.name
    for kind in (
        Start,
        Success,
        Failure,
        Interrupted,
        Lost,
        Skip,
        Takeover,
        Error,
        ClockSkew,
    )
)


class EventStream(ObjectReceiveStream[Event]):
    """A listener's own queue of events: 1,000 at most, the oldest are dropped.

    ``dropped`` counts what was lost that way. After the end of its block what waits can
    still be received; then it is at its end.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._waiting: deque[Event] = deque()
        self._news = anyio.Event()
        self._over = False
        self._closed = False

    def receive_nowait(self) -> Event:
        """Return the oldest waiting event.

        Raises:
            anyio.WouldBlock: none is waiting.
            anyio.EndOfStream: none will come any more.
            anyio.ClosedResourceError: the listener has closed it.
        """
        if self._closed:
            raise anyio.ClosedResourceError
        if self._waiting:
            return self._waiting.popleft()
        raise anyio.EndOfStream if self._over else anyio.WouldBlock

    async def receive(self) -> Event:
        """Wait for the next event; a cancelled wait takes none."""
        await anyio.lowlevel.checkpoint()
        while not (self._waiting or self._over or self._closed):
            await self._until_news()
        return self.receive_nowait()

    async def aclose(self) -> None:
        """Close the stream; it gets no more events."""
        self.close()
        await anyio.lowlevel.checkpoint()

    def close(self) -> None:
        """Close the stream without waiting for anything."""
        self._closed = True
        self._news.set()

    async def _until_news(self) -> None:
        if self._news.is_set():
            self._news = anyio.Event()
        await self._news.wait()
