"""One attempt's record as the memory store keeps it: small, and ended in place.

Decides the layout. Must not know runs, leases nor how long records are kept.
"""

from dataclasses import dataclass

from anarchon.backends.clock import instant, milliseconds
from anarchon.model import End, Reason, RunRecord, Status
from anarchon.protocol import Claim


@dataclass(slots=True, kw_only=True)
class Attempt:
    """A record; ``started`` and ``ended`` are milliseconds of store time."""

    token: str
    slot: int
    attempt: int
    reason: Reason
    instance_id: str
    started: int
    ended: int | None = None
    status: Status = Status.RUNNING
    duration: float | None = None
    error: str | None = None
    handed_over: bool = False

    @classmethod
    def granted(cls, claim: Claim, attempt: int, now: int) -> "Attempt":
        """Open the record of an attempt that was just granted."""
        return cls(
            token=claim.token,
            slot=claim.slot,
            attempt=attempt,
            reason=claim.mode,
            instance_id=claim.instance_id,
            started=now,
        )

    @classmethod
    def from_record(cls, record: RunRecord, token: str) -> "Attempt":
        """Keep a record that was made elsewhere, as those of manual runs are."""
        ended = record.ended_at
        return cls(
            token=token,
            slot=record.slot,
            attempt=record.attempt,
            reason=record.reason,
            instance_id=record.instance_id,
            started=milliseconds(record.started_at.timestamp()),
            ended=None if ended is None else milliseconds(ended.timestamp()),
            status=record.status,
            duration=record.duration,
            error=record.error,
            handed_over=record.handed_over,
        )

    @property
    def manual(self) -> bool:
        """Whether it is a run of its own, outside all slots."""
        return self.reason is Reason.MANUAL

    @property
    def age(self) -> tuple[int, int, int]:
        """The key by which history is sorted; the slot only settles a tie."""
        return self.started, self.attempt, self.slot

    def end(self, end: End, now: int) -> None:
        """Record how the runner says that it ended."""
        self.ended = now
        self.status = end.status
        self.duration = end.duration
        self.error = end.error

    def ended_as(self, end: End) -> bool:
        """Whether exactly this end was recorded."""
        mine = (self.status, self.duration, self.error)
        return mine == (end.status, end.duration, end.error)

    def interrupt(self, now: int, *, handed_over: bool = False) -> None:
        """Record an end that the runner did not tell, unless one is there (T9)."""
        if self.ended is None:
            self.ended = now
            self.status = Status.INTERRUPTED
            self.handed_over = handed_over

    def read(self, job: str) -> RunRecord:
        """Return the frozen record."""
        return RunRecord(
            job=job,
            slot=self.slot,
            attempt=self.attempt,
            status=self.status,
            reason=self.reason,
            manual=self.manual,
            instance_id=self.instance_id,
            started_at=instant(self.started),
            ended_at=None if self.ended is None else instant(self.ended),
            duration=self.duration,
            error=self.error,
            handed_over=self.handed_over,
        )
