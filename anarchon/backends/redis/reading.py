"""What the scripts answer, as values of the protocol.

Decides what stored data must look like to be believed: a server belongs to its users,
and anything may have been written to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anarchon.backends.claim import Run
from anarchon.backends.records import (
    Unreadable,
    integer,
    object_in,
    record_from,
    text,
)
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

Fields = Mapping[str, Any]
Text = str | bytes


def claim_reply(job: str, reply: Fields) -> ClaimReply:
    """Return the answer to a claim."""
    now = integer(reply["now"])
    match reply["outcome"]:
        case "won":
            return _won(job, now, reply)
        case "running":
            return Running(now=now, **_runner(reply))
        case "overlap":
            return Overlapping(now=now, slot=reply["slot"], **_runner(reply))
        case "done":
            return _done(job, now, reply)
        case "none":
            return NoRun(now=now, could=reply["could"])
        case outcome:
            return Early(now=now) if outcome == "early" else Late(now=now)


def answer(reply: Fields) -> Answer:
    """Return the answer to a heartbeat, release or finish."""
    left = reply.get("left", 0) / 1000
    return Answer(now=integer(reply["now"]), accepted=reply["accepted"], left=left)


def record(job: str, key: str, stored: Text) -> RunRecord:
    """Return a record of a job's history.

    Raises:
        Unreadable: it makes no sense.
    """
    fields = _fields(key, "a record", stored)
    try:
        return _record(job, fields)
    except Unreadable as error:
        raise Unreadable(key, str(error)) from error


def unfinished(
    keys: Mapping[str, str], stored: Iterable[Text | Sequence[Text]], now: int
) -> Unfinished:
    """Return the unfinished runs of jobs, from what is stored under each job's key."""
    runs: list[UnfinishedRun] = []
    unreadable: list[tuple[str, str]] = []
    for (job, key), fields in zip(keys.items(), stored, strict=True):
        try:
            runs += [_told(job, run, now) for run in _runs(key, fields)]
        except Unreadable as error:
            unreadable.append((error.key, error.problem))
    return Unfinished(now=now, runs=tuple(runs), unreadable=tuple(unreadable))


def merged(parts: Sequence[Unfinished]) -> Unfinished:
    """Return as one what was read in parts; the first one's time is that of all."""
    return Unfinished(
        now=parts[0].now,
        runs=tuple(run for part in parts for run in part.runs),
        unreadable=tuple(pair for part in parts for pair in part.unreadable),
    )


def _won(job: str, now: int, reply: Fields) -> Won:
    waited = reply.get("waited")
    return Won(
        now=now,
        attempt=reply["attempt"],
        left=reply["left"] / 1000,
        taken_from=reply.get("taken_from"),
        waited=None if waited is None else waited / 1000,
        ended=_ended(job, reply),
    )


def _done(job: str, now: int, reply: Fields) -> Done:
    return Done(
        now=now,
        superseded=reply["superseded"],
        newest=reply.get("newest"),
        instance_id=reply.get("instance_id"),
        ended=_ended(job, reply),
    )


def _runner(reply: Fields) -> dict[str, Any]:
    return {
        "attempt": reply["attempt"],
        "left": reply["left"] / 1000,
        "instance_id": reply["instance_id"],
    }


def _ended(job: str, reply: Fields) -> tuple[RunRecord, ...]:
    # an empty table of Lua's comes as an object, not as a list
    return tuple(_record(job, ended) for ended in reply.get("ended") or ())


def _record(job: str, fields: Fields) -> RunRecord:
    return record_from({**fields, "job": job, "duration": _duration(fields)})


def _duration(fields: Fields) -> object:
    told = fields.get("duration")
    try:
        return float(told) if isinstance(told, str) else told
    except ValueError:
        return told


def _runs(key: str, stored: Text | Sequence[Text]) -> list[Run]:
    """Return the runs under a key, oldest first; a text tells why it isn't read."""
    if isinstance(stored, str | bytes):
        raise Unreadable(key, _str(stored))
    fields = dict(zip(map(_str, stored[::2]), stored[1::2], strict=True))
    fields.pop("newest", None)
    runs = [_run(key, field, run) for field, run in fields.items()]
    return sorted(runs, key=lambda run: run.slot)


def _run(key: str, field: str, stored: Text) -> Run:
    fields = _fields(key, f"field {field}", stored)
    try:
        return Run(
            slot=integer(fields.get("slot")),
            attempt=integer(fields.get("attempt"), least=1),
            token=text(fields.get("token")),
            instance_id=text(fields.get("instance_id")),
            until=integer(fields.get("ends")),
            lease=integer(fields.get("lease"), least=0),
        )
    except ValueError as error:
        raise Unreadable(key, f"field {field}: {error}") from error


def _told(job: str, run: Run, now: int) -> UnfinishedRun:
    return UnfinishedRun(
        job=job,
        slot=run.slot,
        attempt=run.attempt,
        instance_id=run.instance_id,
        left=run.left(now),
    )


def _fields(key: str, what: str, stored: Text) -> Fields:
    try:
        return object_in(stored)
    except ValueError:
        raise Unreadable(key, f"{what} is no JSON object") from None


def _str(stored: Text) -> str:
    return stored if isinstance(stored, str) else stored.decode(errors="replace")
