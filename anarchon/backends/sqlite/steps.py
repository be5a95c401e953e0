"""The atomic steps of the store, each inside a transaction that somebody else opened.

Decides what each step reads and writes; ``backends.claim`` decides claims. Must not
know locks, threads nor clocks: ``now`` was read while the lock was held. Instants are
milliseconds.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from anarchon.backends.claim import Decision, Run, decide, set_back
from anarchon.backends.clock import milliseconds
from anarchon.backends.records import Unreadable, fields_of, record_from, storable
from anarchon.backends.sqlite.rows import fields_from, job_from, run_from
from anarchon.backends.sqlite.sql import Tables, Value
from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    Done,
    Unfinished,
    UnfinishedRun,
    Won,
)


def claim(tables: Tables, now: int, asked: Claim) -> ClaimReply:
    """Answer a claim (L1 to L6, L9)."""
    newest, runs = job_from(asked.job, tables.rows("state", job=asked.job))
    for run in set_back(runs.values(), now):
        tables.run("set_back", job=asked.job, slot=run.slot, until=run.until)
        runs[run.slot] = run

    def last_runner(slot: int) -> str | None:
        rows = tables.rows("last_runner", job=asked.job, slot=slot)
        return str(rows[0][0]) if rows else None

    decision = decide(asked, now, newest, runs, last_runner)
    return _carry_out(tables, now, asked, decision)


def heartbeat(
    tables: Tables, now: int, job: str, slot: int, token: str, lease: float
) -> Answer:
    """Let the lease end ``lease`` seconds from now (L7)."""
    length = milliseconds(lease)
    beaten = tables.rows(
        "beat", job=job, slot=slot, token=token, until=now + length, lease=length
    )
    return Answer(now=now, accepted=bool(beaten), left=lease if beaten else 0.0)


def release(tables: Tables, now: int, job: str, slot: int, token: str) -> Answer:
    """End the lease, the attempt's record and the token, all at once (L8)."""
    record: dict[str, Value] = {"job": job, "slot": slot, "token": token}
    spent = tables.rows("spend", **record, now=now)
    for (attempt,) in spent:
        tables.run("hand_over", **record, attempt=attempt, now=now)
    accepted = spent or tables.rows("is_spent", **record)
    return Answer(now=now, accepted=bool(accepted))


def finish(
    tables: Tables, now: int, job: str, slot: int, token: str, end: End
) -> Answer:
    """End the run and its record (L10); the same end is accepted again (L2)."""
    record: dict[str, Value] = {"job": job, "slot": slot, "token": token}
    told: dict[str, Value] = {
        "status": end.status,
        "duration": end.duration,
        "error": storable(end.error),
    }
    finished = tables.rows("finish_run", **record)
    for (attempt,) in finished:
        tables.run("end_record", **record, **told, attempt=attempt, now=now)
    accepted = finished or tables.rows("ended_as", **record, **told)
    return Answer(now=now, accepted=bool(accepted))


def record(tables: Tables, _: int, manual: RunRecord, token: str, keep: int) -> None:
    """Add the record of a manual run, once, and trim the manual ones."""
    if tables.rows("add_record", **fields_of(manual), token=token):
        tables.run("trim_manual", job=manual.job, keep=keep)


def unfinished(tables: Tables, now: int, jobs: Sequence[str]) -> Unfinished:
    """Return the unfinished runs of these jobs. Changes nothing."""
    wanted = set(jobs)
    runs: list[UnfinishedRun] = []
    unreadable: list[tuple[str, str]] = []
    for job, *row in tables.rows("unfinished"):
        if not (isinstance(job, str) and job in wanted):
            continue
        try:
            runs.append(_told(job, run_from(job, tuple(row)), now))
        except Unreadable as error:
            unreadable.append((error.key, error.problem))
    return Unfinished(now=now, runs=tuple(runs), unreadable=tuple(unreadable))


def history(tables: Tables, _: int, job: str, limit: int) -> list[RunRecord]:
    """Return the newest records, newest first. Changes nothing."""
    rows = tables.rows("history", job=job, limit=max(limit, 0))
    return [record_from(fields_from(row)) for row in rows]


def _carry_out(
    tables: Tables, now: int, asked: Claim, decision: Decision
) -> ClaimReply:
    if decision.taken_over is not None:
        _interrupt(tables, now, asked.job, decision.taken_over)
    ended = [_end_for_good(tables, now, asked.job, run) for run in decision.over]
    if decision.granted is not None:
        _grant(tables, now, asked, decision.granted)
    reply = decision.reply
    if ended and isinstance(reply, Won | Done):
        return replace(reply, ended=tuple(chain.from_iterable(ended)))
    return reply


def _grant(tables: Tables, now: int, asked: Claim, run: Run) -> None:
    if run.attempt == 1:
        tables.run("set_newest", job=asked.job, newest=run.slot)
    tables.run(
        "put_run",
        job=asked.job,
        slot=run.slot,
        attempt=run.attempt,
        token=run.token,
        instance_id=run.instance_id,
        until=run.until,
        lease=run.lease,
        freed=run.freed,
    )
    tables.run(
        "open_record",
        job=asked.job,
        slot=run.slot,
        attempt=run.attempt,
        token=run.token,
        reason=asked.mode,
        instance_id=run.instance_id,
        now=now,
    )
    young = now - milliseconds(asked.keep_for)
    tables.run("trim", job=asked.job, young=young, keep=asked.keep)


def _interrupt(tables: Tables, now: int, job: str, run: Run) -> None:
    tables.run(
        "interrupt",
        job=job,
        slot=run.slot,
        attempt=run.attempt,
        token=run.token,
        now=now,
    )


def _end_for_good(tables: Tables, now: int, job: str, run: Run) -> list[RunRecord]:
    _interrupt(tables, now, job, run)
    tables.run("drop_run", job=job, slot=run.slot)
    rows = tables.rows(
        "record", job=job, slot=run.slot, attempt=run.attempt, token=run.token
    )
    return [record_from(fields_from(row)) for row in rows]


def _told(job: str, run: Run, now: int) -> UnfinishedRun:
    return UnfinishedRun(
        job=job,
        slot=run.slot,
        attempt=run.attempt,
        instance_id=run.instance_id,
        left=run.left(now),
    )
