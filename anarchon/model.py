"""The vocabulary: how a run can begin, end and be recorded.

Decides the words and the values that carry them. Knows no clock, no store and no loop.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum


class Status(StrEnum):
    """How far an attempt has come."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Reason(StrEnum):
    """Why an attempt was started; for a claim, the mode in which it asks."""

    SCHEDULED = "scheduled"
    CATCH_UP = "catch-up"
    TAKEOVER = "takeover"
    MANUAL = "manual"


class CancelReason(StrEnum):
    """Why a run's cancel scope was cancelled. The first cause stays."""

    STOP = "stop"
    LOST = "lost"
    TIMEOUT = "timeout"
    CALLER = "caller"


class Overlap(StrEnum):
    """Whether runs of different slots of one job may be alive at the same time."""

    SKIP = "skip"
    ALLOW = "allow"


class LostContact(StrEnum):
    """What silence of the store for a whole lease does to the handler."""

    CANCEL = "cancel"
    CONTINUE = "continue"


class State(StrEnum):
    """Where a scheduler stands in its life."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How an attempt ended, as its runner tells the store.

    ``duration`` is in seconds by the runner's monotonic clock; ``error`` is text,
    capped, or ``None``.
    """

    status: Status
    duration: float
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One attempt of one run, as history keeps it; running attempts are included.

    ``slot`` is in milliseconds since 1970 UTC. ``started_at`` and ``ended_at`` are
    aware UTC instants by the store's clock; an attempt that was taken over ended at
    the takeover. ``duration`` is in seconds by the runner's monotonic clock and is
    ``None`` where the runner never told it. ``handed_over`` says that a stopping runner
    ended its lease itself, which costs the run no attempt.
    """

    job: str
    slot: int
    attempt: int
    status: Status
    reason: Reason
    manual: bool
    instance_id: str
    started_at: datetime
    ended_at: datetime | None = None
    duration: float | None = None
    error: str | None = None
    handed_over: bool = False

    @property
    def scheduled_at(self) -> datetime:
        """The slot as an aware UTC instant."""
        return datetime.fromtimestamp(self.slot / 1000, UTC)
