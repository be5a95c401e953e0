"""Rows of the tables and the values that they stand for.

Decides what a row must look like to be believed: the file belongs to its users, and
anything may have been written to it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from anarchon.backends.claim import Run, milliseconds
from anarchon.backends.sqlite.sql import Row, Value
from anarchon.errors import AnarchonError
from anarchon.model import Reason, RunRecord, Status


class UnreadableRow(AnarchonError):
    """A row under the store's tables that it can't have written itself.

    ``key`` says where it is, ``problem`` what is wrong with it.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key} can't be read: {problem}")
        self.key = key
        self.problem = problem


def job_from(job: str, rows: Sequence[Row]) -> tuple[int | None, dict[int, Run]]:
    """Return a job's newest granted slot and its unfinished runs by slot.

    Raises:
        UnreadableRow: one of them makes no sense.
    """
    if not rows:
        return None, {}
    newest, slot, *_ = rows[0]
    if not isinstance(newest, int):
        raise UnreadableRow(f"newest slot of job {job!r}", f"{newest!r} is no number")
    runs = [run_from(job, row[1:]) for row in rows] if slot is not None else []
    return newest, {run.slot: run for run in runs}


def run_from(job: Value, row: Row) -> Run:
    """Return an unfinished run.

    Raises:
        UnreadableRow: it makes no sense.
    """
    slot, attempt, token, instance_id, until, lease, spent, freed = row
    try:
        run = Run(
            slot=_integer(slot),
            attempt=_integer(attempt, least=1),
            token=_text(token),
            instance_id=_text(instance_id),
            until=_integer(until),
            lease=_integer(lease, least=0),
            spent=bool(_integer(spent)),
            freed=_integer(freed, least=0),
        )
    except ValueError as error:
        raise UnreadableRow(f"run {slot!r} of job {job!r}", str(error)) from error
    return run


def record_from(row: Row) -> RunRecord:
    """Return the record of an attempt.

    Raises:
        UnreadableRow: it makes no sense.
    """
    job, slot, attempt, status, reason, instance_id = row[:6]
    started, ended, duration, error, handed_over = row[6:]
    try:
        return RunRecord(
            job=_text(job),
            slot=_integer(slot),
            attempt=_integer(attempt, least=1),
            status=Status(_text(status)),
            reason=Reason(_text(reason)),
            manual=reason == Reason.MANUAL,
            instance_id=_text(instance_id),
            started_at=_instant(started),
            ended_at=None if ended is None else _instant(ended),
            duration=None if duration is None else _seconds(duration),
            error=None if error is None else _text(error),
            handed_over=bool(_integer(handed_over)),
        )
    except (ValueError, OverflowError, OSError) as problem:
        key = f"attempt {attempt!r} of run {slot!r} of job {job!r}"
        raise UnreadableRow(key, str(problem)) from problem


def row_from(record: RunRecord) -> dict[str, Value]:
    """Return the values of a record's row, but for the token."""
    ended = record.ended_at
    return {
        "job": record.job,
        "slot": record.slot,
        "attempt": record.attempt,
        "reason": record.reason,
        "instance_id": record.instance_id,
        "started": _milliseconds(record.started_at),
        "ended": None if ended is None else _milliseconds(ended),
        "status": record.status,
        "duration": record.duration,
        "error": storable(record.error),
        "handed_over": record.handed_over,
    }


def storable(text: str | None) -> str | None:
    """Return a text as UTF-8 can hold it: lone surrogates are escaped."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _milliseconds(instant: datetime) -> int:
    return milliseconds(instant.timestamp())


def _instant(value: Value) -> datetime:
    return datetime.fromtimestamp(_integer(value) / 1000, UTC)


def _integer(value: Value, least: int | None = None) -> int:
    if not isinstance(value, int) or (least is not None and value < least):
        raise ValueError(f"{value!r} is no number that can stand there")
    return value


def _seconds(value: Value) -> float:
    if not isinstance(value, float):
        raise ValueError(f"{value!r} is no duration")  # noqa: TRY004
    return value


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")  # noqa: TRY004
    return value
