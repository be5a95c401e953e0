"""What a handler is told about its run, and the few things it may do with it.

Decides the handler's view. Must not know how the run is held or written.
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime

import anyio
import anyio.from_thread

from anarchon.model import CancelReason, Reason
from anarchon.rules.durations import Duration, to_seconds


class Cancellation:
    """Why and how a run is cancelled: the first cause stays.

    Shared by the run, which cancels, and the context, which shows it, in a handler's
    thread too. So a timeout is no deadline of the scope: Trio tells only in its own
    thread whether one has passed.
    """

    __slots__ = ("reason", "refused", "scope", "shields")

    def __init__(self) -> None:
        self.scope: anyio.CancelScope = anyio.CancelScope()
        self.shields: set[anyio.CancelScope] = set()
        self.refused: bool = False
        self.reason: CancelReason | None = None

    def cancel(self, reason: CancelReason) -> None:
        """Cancel the handler's scope; a second cause changes nothing."""
        if self.reason is None:
            self.reason = reason
            self.scope.cancel()

    def refuse(self) -> None:
        """Cancel also what the handler shields: another attempt may be running."""
        self.refused = True
        self.cancel(CancelReason.LOST)
        for shield in self.shields:
            shield.cancel()


class RunContext:
    """One attempt of one run, as its handler sees it.

    ``slot`` is in milliseconds since 1970 UTC; ``attempt`` counts from 1; ``reason`` is
    ``scheduled``, ``catch-up``, ``takeover`` or ``manual``. ``fence`` is the pair
    ``(slot, attempt)``: with ``overlap="skip"`` it only grows from attempt to attempt
    of a job, so a system that the handler writes to can refuse a smaller one than it
    has seen. It is ``None`` with ``overlap="allow"`` and for manual runs.
    """

    __slots__ = (
        "_cancellation",
        "attempt",
        "fence",
        "instance_id",
        "job",
        "reason",
        "slot",
        "token",
    )

    job: str
    slot: int
    attempt: int
    reason: Reason
    instance_id: str
    token: str
    fence: tuple[int, int] | None

    def __init__(
        self,
        *,
        job: str,
        slot: int,
        attempt: int,
        reason: Reason,
        instance_id: str,
        token: str,
        fence: tuple[int, int] | None,
        cancellation: Cancellation,
    ) -> None:
        self.job = job
        self.slot = slot
        self.attempt = attempt
        self.reason = reason
        self.instance_id = instance_id
        self.token = token
        self.fence = fence
        self._cancellation = cancellation

    @property
    def scheduled_at(self) -> datetime:
        """The slot as an aware UTC instant."""
        return datetime.fromtimestamp(self.slot / 1000, UTC)

    @property
    def stopping(self) -> bool:
        """Whether the run was asked to end, for whatever reason."""
        return self._cancellation.reason is not None

    @property
    def cancel_reason(self) -> CancelReason | None:
        """``None``, or the first cause: ``stop``, ``lost``, ``timeout``, ``caller``."""
        return self._cancellation.reason

    def check_cancelled(self) -> None:
        """Raise the loop's cancellation in a thread handler whose run was cancelled.

        A thread can't be cancelled from outside, so a handler that is a plain ``def``
        calls this now and then. Only for such handlers: an ``async def`` is cancelled
        at its next ``await``.
        """
        anyio.from_thread.check_cancelled()

    @contextmanager
    def shield(self, grace: Duration) -> Generator[anyio.CancelScope]:
        """Open a scope that no stop, timeout or silence cancels, for at most ``grace``.

        For finishing one unit of work in an ``async def`` handler; what isn't done by
        then is cancelled. A refusal by the store cancels it all the same, since another
        attempt may be running by then. ``grace`` is seconds, a ``timedelta`` or text
        such as ``"5s"``.

        Raises:
            InvalidOption: ``grace`` isn't a duration.
        """
        seconds = to_seconds(grace, name="grace", zero=True)
        deadline = anyio.current_time() + seconds
        with anyio.CancelScope(shield=True, deadline=deadline) as scope:
            if self._cancellation.refused:
                scope.cancel()
            self._cancellation.shields.add(scope)
            try:
                yield scope
            finally:
                self._cancellation.shields.discard(scope)

    def __repr__(self) -> str:
        return (
            f"<RunContext {self.job!r} slot={self.slot} attempt={self.attempt} "
            f"reason={self.reason}>"
        )
