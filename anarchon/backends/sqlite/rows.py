"""Rows of the tables and the values that they stand for.

Decides what a row must look like to be believed: the file belongs to its users, and
anything may have been written to it.
"""

from collections.abc import Sequence

from anarchon.backends.claim import Run
from anarchon.backends.records import Unreadable, integer, text
from anarchon.backends.sqlite.sql import Row, Value

RECORD = (
    *("job", "slot", "attempt", "status", "reason", "instance_id"),
    *("started", "ended", "duration", "error", "handed_over"),
)
"""The columns of a record, in the order of the statements that read one."""


def job_from(job: str, rows: Sequence[Row]) -> tuple[int | None, dict[int, Run]]:
    """Return a job's newest granted slot and its unfinished runs by slot.

    Raises:
        Unreadable: one of them makes no sense.
    """
    if not rows:
        return None, {}
    newest, slot, *_ = rows[0]
    if not isinstance(newest, int):
        raise Unreadable(f"newest slot of job {job!r}", f"{newest!r} is no number")
    runs = [run_from(job, row[1:]) for row in rows] if slot is not None else []
    return newest, {run.slot: run for run in runs}


def run_from(job: Value, row: Row) -> Run:
    """Return an unfinished run.

    Raises:
        Unreadable: it makes no sense.
    """
    slot, attempt, token, instance_id, until, lease, spent, freed = row
    try:
        run = Run(
            slot=integer(slot),
            attempt=integer(attempt, least=1),
            token=text(token),
            instance_id=text(instance_id),
            until=integer(until),
            lease=integer(lease, least=0),
            spent=bool(integer(spent)),
            freed=integer(freed, least=0),
        )
    except ValueError as error:
        raise Unreadable(f"run {slot!r} of job {job!r}", str(error)) from error
    return run


def fields_from(row: Row) -> dict[str, Value]:
    """Return a record's row as its fields."""
    return dict(zip(RECORD, row, strict=True))
