"""Answers of the steps, and the replies that they stand for.

Decides nothing but the translation. The lengths in an answer are milliseconds.
"""

from collections.abc import Callable, Mapping
from typing import cast

from anarchon.backends.records import integer, record_from, text
from anarchon.model import RunRecord
from anarchon.protocol import (
    Answer,
    ClaimReply,
    Done,
    Early,
    Late,
    NoRun,
    Overlapping,
    Running,
    Unfinished,
    UnfinishedRun,
    Won,
)

Fields = Mapping[str, object]


def claim_reply(answer: object) -> ClaimReply:
    """Return the reply to a claim.

    Raises:
        Unreadable: a record that it tells of makes no sense.
    """
    fields = cast("Fields", answer)
    return _REPLIES[text(fields["is"])](integer(fields["now"]), fields)


def answer_from(answer: object, left: float = 0.0) -> Answer:
    """Return the reply to what a token asked, with ``left`` seconds if accepted."""
    fields = cast("Fields", answer)
    accepted = fields["accepted"] is True
    return Answer(
        now=integer(fields["now"]), accepted=accepted, left=left if accepted else 0.0
    )


def unfinished_from(answer: object) -> Unfinished:
    """Return the unfinished runs."""
    fields = cast("Fields", answer)
    runs = cast("list[Fields]", fields["runs"])
    return Unfinished(now=integer(fields["now"]), runs=tuple(map(_run, runs)))


def records_from(answer: object) -> list[RunRecord]:
    """Return the records that an answer lists.

    Raises:
        Unreadable: one of them makes no sense.
    """
    return [record_from(fields) for fields in cast("list[Fields]", answer)]


def _won(now: int, fields: Fields) -> Won:
    taken_from, waited = fields.get("taken_from"), fields.get("waited")
    return Won(
        now=now,
        attempt=integer(fields["attempt"]),
        left=_seconds(fields["left"]),
        taken_from=None if taken_from is None else text(taken_from),
        waited=None if waited is None else _seconds(waited),
        ended=_ended(fields),
    )


def _running(now: int, fields: Fields) -> Running:
    return Running(
        now=now,
        attempt=integer(fields["attempt"]),
        left=_seconds(fields["left"]),
        instance_id=text(fields["instance_id"]),
    )


def _overlapping(now: int, fields: Fields) -> Overlapping:
    return Overlapping(
        now=now,
        slot=integer(fields["slot"]),
        attempt=integer(fields["attempt"]),
        left=_seconds(fields["left"]),
        instance_id=text(fields["instance_id"]),
    )


def _done(now: int, fields: Fields) -> Done:
    newest, runner = fields["newest"], fields["instance_id"]
    return Done(
        now=now,
        superseded=fields["superseded"] is True,
        newest=None if newest is None else integer(newest),
        instance_id=None if runner is None else text(runner),
        ended=_ended(fields),
    )


def _no_run(now: int, fields: Fields) -> NoRun:
    return NoRun(now=now, could=fields["could"] is True)


_REPLIES: Mapping[str, Callable[[int, Fields], ClaimReply]] = {
    "won": _won,
    "running": _running,
    "overlapping": _overlapping,
    "done": _done,
    "no run": _no_run,
    "early": lambda now, _: Early(now=now),
    "late": lambda now, _: Late(now=now),
}


def _ended(fields: Fields) -> tuple[RunRecord, ...]:
    return tuple(records_from(fields.get("ended") or []))


def _run(fields: Fields) -> UnfinishedRun:
    return UnfinishedRun(
        job=text(fields["job"]),
        slot=integer(fields["slot"]),
        attempt=integer(fields["attempt"]),
        instance_id=text(fields["instance_id"]),
        left=_seconds(fields["left"]),
    )


def _seconds(length: object) -> float:
    return integer(length) / 1000
