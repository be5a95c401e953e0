"""The history and the verdict as lines of text.

Decides columns and words; 79 characters at most, ASCII only. Must not know where they
are printed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from anarchon import RunRecord
from anarchon.cli.demo.plan import REPORT
from anarchon.cli.demo.promise import Promise

HEAD = "job     slot        attempt  on   started     ended  status"
# so many runs of the short job are shown
NEWEST = 3

TEXT_WIDTH = 37
# so many problems of one promise are shown
SHOWN = 3


def history_lines(records: Sequence[RunRecord], began: float) -> list[str]:
    """Return a table of all reports and the newest runs of the other job, in order."""
    reports = [record for record in records if record.job == REPORT]
    others = [record for record in records if record.job != REPORT]
    lines = [HEAD, *(_row(record, began) for record in _in_order(reports))]
    if len(others) > NEWEST:
        lines.append(f"{others[0].job:6}  {len(others) - NEWEST} more, then")
    return [*lines, *(_row(r, began) for r in _in_order(others)[-NEWEST:])]


def _in_order(records: Sequence[RunRecord]) -> list[RunRecord]:
    return sorted(records, key=lambda record: record.started_at)


def _row(record: RunRecord, began: float) -> str:
    slot = datetime.fromtimestamp(record.slot / 1000, UTC).astimezone()
    return (
        f"{record.job:6}  {slot:%H:%M:%S}.{slot.microsecond // 100_000}  "
        f"{record.attempt:>7}  {record.instance_id:2}  "
        f"{_since(record.started_at, began):>8}  {_since(record.ended_at, began):>8}  "
        f"{record.status}{', handed over' if record.handed_over else ''}"
    )


def _since(instant: datetime | None, began: float) -> str:
    return "" if instant is None else f"{instant.timestamp() - began:.2f} s"


def promise_lines(promise: Promise) -> list[str]:
    """Return a promise with what was found, or with its first problems."""
    if promise.kept:
        return [f"kept    {promise.text:{TEXT_WIDTH}}  {promise.found}"]
    lines = [f"BROKEN  {promise.text}"]
    lines += [f"        - {problem}" for problem in promise.problems[:SHOWN]]
    if len(promise.problems) > SHOWN:
        lines.append(f"        - and {len(promise.problems) - SHOWN} more")
    return lines
