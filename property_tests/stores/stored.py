"""What a store keeps of a run and of an attempt, as the laws word it.

Decides what a token may do to them. Must not know any store, nor what a claim is
answered. All times are whole milliseconds, but in requests and records.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from anarchon.model import End, RunRecord, Status
from anarchon.protocol import Claim


@dataclass(slots=True)
class Run:
    """An unfinished run. ``freed`` counts its attempts that were handed over."""

    slot: int
    attempt: int
    token: str
    instance_id: str
    until: int
    lease: int
    spent: bool = False
    freed: int = 0

    def alive(self, now: int) -> bool:
        """L5: alive until its lease's end, dead at that very millisecond."""
        return now < self.until

    def held_by(self, token: str) -> bool:
        """L7, L8: the current token may act, unless it was spent by a release."""
        return token == self.token and not self.spent

    def left(self, now: int) -> float:
        """L9: no lease has more left than its whole length."""
        return min(self.until - now, self.lease) / 1000


@dataclass(slots=True)
class Entry:
    """The record of an attempt, with the token that may end it.

    ``keep`` is how many records whoever wrote it last wants to have kept.
    """

    token: str
    record: RunRecord
    keep: int

    @property
    def age(self) -> tuple[datetime, int, int]:
        """L10: by start, then by attempt; the slot settles what the laws leave."""
        return self.record.started_at, self.record.attempt, self.record.slot

    def end(self, now: int, end: End) -> None:
        """Write what the runner told."""
        self.record = replace(
            self.record,
            status=end.status,
            ended_at=at(now),
            duration=end.duration,
            error=end.error,
        )

    def interrupt(self, now: int, *, handed_over: bool = False) -> None:
        """L6: write an end that no runner told, unless the record has one."""
        if self.record.ended_at is None:
            self.record = replace(
                self.record,
                status=Status.INTERRUPTED,
                ended_at=at(now),
                handed_over=handed_over,
            )

    def ended_as(self, end: End) -> bool:
        """L2: whether this very end was written."""
        told = (self.record.status, self.record.duration, self.record.error)
        return (end.status, end.duration, end.error) == told

    def ended_before(self, instant: datetime) -> bool:
        """L10: where a clock that was set back put the end first, the start counts."""
        ended = self.record.ended_at
        return ended is not None and max(self.record.started_at, ended) < instant


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """The right answers to a request, where the laws leave it to the store."""

    answers: tuple[object, ...]

    def __eq__(self, answer: object) -> bool:
        """Whether it is one of them."""
        return answer in self.answers

    def __hash__(self) -> int:
        """Return what is the same for all, since any two may be equal."""
        return 0


def newest_first(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries as history is read; of equally old ones the last comes first."""
    return sorted(entries, key=lambda entry: entry.age)[::-1]


def begun(claim: Claim, now: int) -> RunRecord:
    """L10: return the record of an attempt in the step that grants it."""
    return RunRecord(
        job=claim.job,
        slot=claim.slot,
        attempt=claim.attempt,
        status=Status.RUNNING,
        reason=claim.mode,
        manual=False,
        instance_id=claim.instance_id,
        started_at=at(now),
    )


def ms(seconds: float) -> int:
    """Return seconds as whole milliseconds."""
    return round(seconds * 1000)


def at(instant: int) -> datetime:
    """Return milliseconds since 1970 as records tell an instant."""
    return datetime.fromtimestamp(instant / 1000, UTC)
