"""What the messages of the two streams say: claims, and records of runs that ended.

Decides their text, and what it must look like to be believed. Must not know how a
message gets into a stream.
"""

import json
from dataclasses import dataclass, replace

from anarchon.backends.clock import instant
from anarchon.backends.nats.jetstream import Stored
from anarchon.backends.nats.subjects import when
from anarchon.backends.records import (
    Unreadable,
    fields_of,
    integer,
    moment,
    object_in,
    record_from,
    storable,
    text,
)
from anarchon.model import End, Reason, RunRecord, Status
from anarchon.protocol import Claim


def message_of(claim: Claim, now: int) -> bytes:
    """Return the message that claims a slot now; its subject says which."""
    fields = {
        "token": claim.token,
        "instance_id": claim.instance_id,
        "reason": claim.mode,
        "started": now,
        "keep": claim.keep,
    }
    return json.dumps(fields).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A claim that was granted; ``started`` is in milliseconds of store time."""

    job: str
    slot: int
    token: str
    instance_id: str
    reason: Reason
    started: int
    keep: int

    @classmethod
    def by(cls, claim: Claim, started: int) -> "Held":
        """Return what a claim got that was granted then."""
        return cls(
            job=claim.job,
            slot=claim.slot,
            token=claim.token,
            instance_id=claim.instance_id,
            reason=claim.mode,
            started=started,
            keep=claim.keep,
        )

    @classmethod
    def read(cls, stored: Stored, job: str) -> "Held":
        """Return the claim that a message says.

        Raises:
            Unreadable: it says something else.
        """
        try:
            fields = object_in(stored.data)
            return cls(
                job=job,
                slot=when(stored.subject),
                token=text(fields.get("token")),
                instance_id=text(fields.get("instance_id")),
                reason=Reason(text(fields.get("reason"))),
                started=moment(fields.get("started")),
                keep=integer(fields.get("keep"), least=0),
            )
        except ValueError as error:
            raise Unreadable(stored.subject, str(error)) from error

    def record(self) -> RunRecord:
        """Return the record of the run while its end isn't known."""
        return RunRecord(
            job=self.job,
            slot=self.slot,
            attempt=1,
            status=Status.RUNNING,
            reason=self.reason,
            manual=False,
            instance_id=self.instance_id,
            started_at=instant(self.started),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The record of a run that has ended; ``keep`` is how many its job keeps."""

    record: RunRecord
    token: str
    keep: int

    @classmethod
    def of(cls, held: Held, end: End, now: int) -> "Entry":
        """Return the record of a run that ends now."""
        record = replace(
            held.record(),
            status=end.status,
            ended_at=instant(now),
            duration=end.duration,
            error=storable(end.error),
        )
        return cls(record=record, token=held.token, keep=held.keep)

    @classmethod
    def read(cls, stored: Stored, job: str) -> "Entry":
        """Return the entry that a message says.

        Raises:
            Unreadable: it says something else.
        """
        try:
            fields = object_in(stored.data)
            record = record_from(fields)
            if record.job != job:
                raise ValueError(f"it is about the job {record.job!r}")  # noqa: TRY301
            return cls(
                record=record,
                token=text(fields.get("token")),
                keep=integer(fields.get("keep"), least=0),
            )
        except (ValueError, Unreadable) as error:
            raise Unreadable(stored.subject, str(error)) from error

    def write(self) -> bytes:
        """Return the message."""
        more = {"token": self.token, "keep": self.keep}
        return json.dumps({**fields_of(self.record), **more}).encode()

    def tells(self, token: str, end: End) -> bool:
        """Whether it is what a finish with this token and end has written."""
        record = self.record
        mine = (self.token, record.status, record.duration, record.error)
        return mine == (token, end.status, end.duration, storable(end.error))
