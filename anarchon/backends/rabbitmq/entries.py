"""The entries of the log of claims, and how they are written.

Decides their fields and what they must look like to be believed. Must not know what
follows from an entry.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import uuid4

from anarchon.backends.records import integer, moment, object_in, text
from anarchon.model import Reason
from anarchon.protocol import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Somebody asks for a slot; ``started`` is when, by their clock, in ms."""

    job: str
    slot: int
    token: str
    instance_id: str
    reason: Reason
    started: int
    keep: int

    @classmethod
    def by(cls, claim: Claim, now: int) -> "Claimed":
        """Return the entry of a claim that is made now."""
        return cls(
            job=claim.job,
            slot=claim.slot,
            token=claim.token,
            instance_id=claim.instance_id,
            reason=claim.mode,
            started=now,
            keep=claim.keep,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A token ends its run; ``end`` tells this end from any other one."""

    job: str
    slot: int
    token: str
    ended: int
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Nothing but a place in the log: who reads it has read all that came before."""


Entry = Claimed | Ended | Mark


def new_id() -> str:
    """Return what an entry is recognised by when it is read back."""
    return uuid4().hex


def packed(entry_id: str, entry: Entry) -> bytes:
    """Return an entry as it is written."""
    kind = type(entry).__name__
    return json.dumps({"id": entry_id, "kind": kind, **asdict(entry)}).encode()


def unpacked(body: bytes) -> tuple[str, Entry]:
    """Return an entry that was read, and what it is recognised by.

    Raises:
        ValueError: it is none.
    """
    fields = object_in(body)
    return text(fields.get("id")), _entry(fields)


def _entry(fields: Mapping[str, object]) -> Entry:
    match fields.get("kind"):
        case "Claimed":
            return _claimed(fields)
        case "Ended":
            return _ended(fields)
        case "Mark":
            return Mark()
        case kind:
            raise ValueError(f"there is no entry of the kind {kind!r}")


def _claimed(fields: Mapping[str, object]) -> Claimed:
    return Claimed(
        # the same few names are in every entry
        job=sys.intern(text(fields.get("job"))),
        slot=integer(fields.get("slot")),
        token=text(fields.get("token")),
        instance_id=sys.intern(text(fields.get("instance_id"))),
        reason=Reason(text(fields.get("reason"))),
        started=moment(fields.get("started")),
        keep=integer(fields.get("keep"), least=0),
    )


def _ended(fields: Mapping[str, object]) -> Ended:
    return Ended(
        job=text(fields.get("job")),
        slot=integer(fields.get("slot")),
        token=text(fields.get("token")),
        ended=moment(fields.get("ended")),
        end=text(fields.get("end")),
    )
