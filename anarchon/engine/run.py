"""The shape of a run, the same for every kind of store.

Decides what surrounds a handler, and in what order it is left::

    run task, in the scheduler's nursery, under the session's shield
    └─ group
       ├─ companions: the heartbeat; the end of patience
       └─ handler scope → boundary → handler
       then the end is written, while the heartbeat still beats

The shield keeps a cancelled host from cutting a run short: the host reaches a run only
through stop, which cancels the handler at once and gives the shield its deadline, so
that everything in here is bounded. Past it nothing is sent any more: the heartbeat is
silent, and a backup takes over when the lease runs out.

The ending starts as "not started" and is replaced as facts arrive, so that there is
always one to tell, whatever cuts the run off. It is never read from
``cancelled_caught``, on which the two loops differ.

A handler that goes on after it was told to end (it shields itself, or is a thread) is
waited for, since nothing may outlive the scheduler's block; but after ``stop_timeout``
seconds the run is given up without it. Must not know what kind of store holds the run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict, TypeVarTuple

import anyio
import anyio.lowlevel

from anarchon.bridge.stray import always_anew
from anarchon.engine.boundary import Ending, call_handler
from anarchon.engine.context import Cancellation, RunContext
from anarchon.events import Event, Failure, Interrupted, Start, Success
from anarchon.jobs import Job
from anarchon.model import CancelReason, End, Reason, RunRecord, Status

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from anarchon.engine.session import Session

Ts = TypeVarTuple("Ts")

NOT_STARTED = Ending(Status.INTERRUPTED, "stopped before it started")
TOO_LATE = Ending(Status.INTERRUPTED, "the handler ended too late for its end to count")


class Run(ABC):
    """One attempt in progress on this instance. ``started`` is store time in ms.

    ``backed_up`` says that others take it up if it is interrupted.
    """

    manual = False
    backed_up = True

    def __init__(
        self,
        session: "Session",
        job: Job,
        *,
        slot: int,
        attempt: int,
        token: str,
        reason: Reason,
        fence: tuple[int, int] | None,
        started: float,
    ) -> None:
        self.session = session
        self.job = job
        self.slot = slot
        self.attempt = attempt
        self.reason = reason
        self.cancellation: Cancellation = Cancellation()
        self.context: RunContext = RunContext(
            job=job.name,
            slot=slot,
            attempt=attempt,
            reason=reason,
            instance_id=session.instance.instance_id,
            token=token,
            fence=fence,
            cancellation=self.cancellation,
        )
        self._group: TaskGroup | None = None
        self._accompanied = False
        self._started = started
        self._began = self._duration = 0.0
        self._handling = True
        self._known_end = NOT_STARTED
        self._given_up: anyio.Event | None = None
        self._told = False
        self._fatal: BaseException | None = None

    async def __call__(self) -> None:
        """Live from the won claim to the written end; the session shields this."""
        try:
            async with anyio.create_task_group() as self._group:
                try:
                    await self._live()
                except (KeyboardInterrupt, SystemExit) as fatal:
                    self._fatal = fatal
                finally:
                    self.end_companions()
                if self._accompanied:
                    self._group.cancel_scope.cancel()
        finally:
            self._over()

    def _over(self) -> None:
        instance = self.session.instance
        instance.discard(self)
        if not self._told:
            self.tell_end(self._known_end)
        if self._fatal is not None:
            instance.die(self._fatal)

    @property
    def overdue(self) -> bool:
        """Whether the handler goes on although it was told to end."""
        return self._handling and self.cancellation.reason is not None

    @property
    def in_the_way(self) -> bool:
        """Whether this instance may claim its job no more, as long as it goes on."""
        return self.overdue

    def snapshot(self) -> RunRecord:
        """Return the record of this attempt as it is now: running."""
        return RunRecord(
            **self.about,
            status=Status.RUNNING,
            reason=self.reason,
            manual=self.manual,
            instance_id=self.session.instance.instance_id,
            started_at=utc(self._started),
        )

    async def _live(self) -> None:
        if not await self.confirm():
            self._told = True
            return
        ending = NOT_STARTED
        if self.cancellation.reason is None:
            ending = await self._handle()
        self._handling = False
        self._fatal = ending.fatal
        # past the end of a stop nothing is sent
        await anyio.lowlevel.checkpoint_if_cancelled()
        if self._given_up is not None:
            await self._given_up.wait()
        else:
            self._known_end = ending
            await self.write_end(ending)

    async def _handle(self) -> Ending:
        try:
            return await self._start()
        except (KeyboardInterrupt, SystemExit) as fatal:
            # a listener may raise it, and on Trio Ctrl+C may land anywhere
            ending = Ending(Status.INTERRUPTED, type(fatal).__name__, fatal)
        return ending  # noqa: ASYNC910  the listener came first

    async def _start(self) -> Ending:
        instance = self.session.instance
        self._known_end = TOO_LATE
        self._tell_start()
        self.begin_companions()
        timeout = self.job.options.timeout
        if timeout is not None:
            self.accompany(self._time_out_after, timeout)
        self._began = instance.clock.monotonic()
        return await call_handler(
            self.job,
            self.context,
            self.cancellation,
            instance.threads,
            self._handled,
        )

    def _handled(self) -> None:
        timed_out = self.cancellation.reason is CancelReason.TIMEOUT
        if timed_out and self._given_up is not None:
            # its end was made when it was given up, and stays as it was
            return
        self._duration = self.session.instance.clock.monotonic() - self._began
        timeout = self.job.options.timeout
        if timeout is not None and self._duration >= timeout:
            # one that blocks the loop is back before anybody could cancel it
            self.cancellation.cancel(CancelReason.TIMEOUT)

    async def confirm(self) -> bool:
        """Tell whether the attempt is still ours, before the handler is called."""
        return True  # noqa: ASYNC910  nothing to ask

    def begin_companions(self) -> None:  # noqa: B027  a run may have none
        """Start what goes on beside the handler."""

    def end_companions(self) -> None:  # noqa: B027  as above
        """Let go of what has not started beside the handler."""

    @abstractmethod
    async def write_end(self, ending: Ending) -> None:
        """Get the end into the store, bounded, and tell it."""

    async def give_up(self) -> None:  # noqa: ASYNC910  most write nothing
        """Leave the run, though its handler goes on."""
        if self.cancellation.reason is CancelReason.TIMEOUT:
            self._duration = self.session.instance.clock.monotonic() - self._began
            timeout = self.job.options.timeout
            error = f"timed out after {timeout:g} s, and still goes on"
            await self.write_end(Ending(Status.FAILED, error))

    def accompany(
        self, companion: Callable[[*Ts], Coroutine[object, object, None]], *args: *Ts
    ) -> None:
        """Start a task beside the handler, in the run's own group."""
        assert self._group is not None
        self._accompanied = True
        # a native cancellation isn't its end: a run that winds down still needs it
        self._group.start_soon(always_anew, companion, *args)

    def lose_patience_after(self, seconds: float) -> None:
        """Give the run up if it is lost or timed out then and its handler goes on."""
        self.accompany(self._lose_patience_after, seconds)

    async def _time_out_after(self, seconds: float) -> None:
        instance = self.session.instance
        await instance.clock.sleep(seconds)
        self.cancellation.cancel(CancelReason.TIMEOUT)
        await self._lose_patience_after(instance.stop_timeout)

    async def _lose_patience_after(self, seconds: float) -> None:
        await self.session.instance.clock.sleep(seconds)
        gone = (CancelReason.LOST, CancelReason.TIMEOUT)
        if self._handling and self.cancellation.reason in gone and not self._given_up:
            self._given_up = anyio.Event()
            try:
                await self.give_up()
            finally:
                self._given_up.set()

    def _tell_start(self) -> None:
        instance = self.session.instance
        if instance.bus.hears(Start):
            instance.tell(Start(**instance.stamp(), **self.about, reason=self.reason))

    @property
    def about(self) -> "About":
        """Which attempt an event is about."""
        return {"job": self.job.name, "slot": self.slot, "attempt": self.attempt}

    def tell_end(
        self, ending: Ending, *, ended: int | None = None, handed_over: bool = False
    ) -> None:
        """Tell the listeners how the attempt ended; ``ended`` is store time in ms."""
        self._told = True
        record = self.end_record(ending, ended, handed_over)
        stamp, about = self.session.instance.stamp(), self.about
        event: Event
        match ending.status:
            case Status.SUCCESS:
                event = Success(**stamp, **about, record=record)
            case Status.FAILED:
                raised = ending.raised
                event = Failure(**stamp, **about, record=record, exception=raised)
            case _:
                event = Interrupted(
                    **stamp,
                    **about,
                    record=record,
                    handed_over=handed_over,
                    final=not self.backed_up,
                )
        self.session.instance.tell(event)

    def end(self, ending: Ending) -> End:
        """Return what the store is told of an ending."""
        return End(status=ending.status, duration=self._duration, error=ending.error)

    def end_record(
        self, ending: Ending, ended: int | None = None, handed_over: bool = False
    ) -> RunRecord:
        """Return the attempt's record with its end; ``ended`` is store time in ms."""
        instant = self.session.time.now() if ended is None else ended
        return RunRecord(
            job=self.job.name,
            slot=self.slot,
            attempt=self.attempt,
            status=ending.status,
            reason=self.reason,
            manual=self.manual,
            instance_id=self.session.instance.instance_id,
            started_at=utc(self._started),
            ended_at=utc(instant),
            duration=self._duration,
            error=ending.error,
            handed_over=handed_over,
        )


def utc(ms: float) -> datetime:
    """Return an instant in milliseconds since 1970 as an aware UTC datetime."""
    return datetime.fromtimestamp(ms / 1000, UTC)


class About(TypedDict):
    """Which attempt an event is about."""

    job: str
    slot: int
    attempt: int
