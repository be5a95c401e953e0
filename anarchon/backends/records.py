"""Records of attempts as stores keep them, and the values that they stand for.

Decides the fields of a stored record and what they must look like to be believed: a
store belongs to its users, and anything may have been written to it.
"""

import json
from collections.abc import Mapping
from typing import cast

from anarchon.backends.clock import instant, milliseconds
from anarchon.errors import AnarchonError
from anarchon.model import Reason, RunRecord, Status

Value = str | int | float | None


class Unreadable(AnarchonError):
    """Something under the store's keys that it can't have written itself.

    ``key`` says where it is, ``problem`` what is wrong with it.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key} can't be read: {problem}")
        self.key = key
        self.problem = problem


def record_from(fields: Mapping[str, object]) -> RunRecord:
    """Return the record of an attempt from its stored fields.

    Raises:
        Unreadable: they make no sense.
    """
    job, slot, attempt = (fields.get(name) for name in ("job", "slot", "attempt"))
    ended, duration, error = (
        fields.get(name) for name in ("ended", "duration", "error")
    )
    try:
        reason = Reason(text(fields.get("reason")))
        return RunRecord(
            job=text(job),
            slot=integer(slot),
            attempt=integer(attempt, least=1),
            status=Status(text(fields.get("status"))),
            reason=reason,
            manual=reason is Reason.MANUAL,
            instance_id=text(fields.get("instance_id")),
            started_at=instant(integer(fields.get("started"))),
            ended_at=None if ended is None else instant(integer(ended)),
            duration=None if duration is None else seconds(duration),
            error=None if error is None else text(error),
            handed_over=bool(integer(fields.get("handed_over", 0))),
        )
    except (ValueError, OverflowError, OSError) as problem:
        key = f"attempt {attempt!r} of run {slot!r} of job {job!r}"
        raise Unreadable(key, str(problem)) from problem


def fields_of(record: RunRecord) -> dict[str, Value]:
    """Return the fields of a record, times in milliseconds since 1970 UTC."""
    ended = record.ended_at
    return {
        "job": record.job,
        "slot": record.slot,
        "attempt": record.attempt,
        "reason": str(record.reason),
        "instance_id": record.instance_id,
        "started": milliseconds(record.started_at.timestamp()),
        "ended": None if ended is None else milliseconds(ended.timestamp()),
        "status": str(record.status),
        "duration": record.duration,
        "error": storable(record.error),
        "handed_over": int(record.handed_over),
    }


def storable(given: str | None) -> str | None:
    """Return a text as UTF-8 can hold it: lone surrogates are escaped."""
    if given is None or given.isascii():
        return given
    return given.encode("utf-8", "backslashreplace").decode("utf-8")


def object_in(stored: str | bytes) -> dict[str, object]:
    """Return the fields of a JSON object that was stored.

    Raises:
        ValueError: it is none.
    """
    try:
        fields: object = json.loads(stored)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(fields, dict):
        raise ValueError("it is no object")  # noqa: TRY004
    return cast("dict[str, object]", fields)


def moment(value: object) -> int:
    """Return a value that is an instant, in milliseconds since 1970 UTC.

    Raises:
        ValueError: it isn't, or is beyond every calendar.
    """
    ms = integer(value)
    try:
        instant(ms)
    except (OverflowError, OSError):
        raise ValueError(f"{ms} is no instant") from None
    return ms


def integer(value: object, least: int | None = None) -> int:
    """Return a value that is an integer, and not below ``least``.

    Raises:
        ValueError: it isn't.
    """
    if not isinstance(value, int) or (least is not None and value < least):
        raise ValueError(f"{value!r} is no number that can stand there")
    return value


def seconds(value: object) -> float:
    """Return a value that is a number of seconds.

    Raises:
        ValueError: it isn't.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no duration")  # noqa: TRY004
    return float(value)


def text(value: object) -> str:
    """Return a value that is a text.

    Raises:
        ValueError: it isn't.
    """
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")  # noqa: TRY004
    return value
