"""The SQLite store and the memory store answer every program alike.

Each is the other's oracle: they share the decision about a claim, and nothing of what
they read for it or write after it.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from anarchon.backends.memory.job import Job
from anarchon.backends.sqlite import steps
from anarchon.backends.sqlite.schema import set_up
from anarchon.backends.sqlite.sql import Tables, statements
from anarchon.model import End, Overlap, Reason, RunRecord, Status
from anarchon.protocol import Answer, Claim, ClaimReply, UnfinishedRun

NAME = "job"
EPOCH = 1_800_000_000_000


@dataclass
class SqliteJob:
    """A job of the SQLite store, with the methods of the memory store's."""

    tables: Tables

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        """Answer a claim."""
        return steps.claim(self.tables, now, claim)

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        """Push the lease's end."""
        return steps.heartbeat(self.tables, now, NAME, slot, token, lease)

    def release(self, slot: int, token: str, now: int) -> Answer:
        """Hand the run over."""
        return steps.release(self.tables, now, NAME, slot, token)

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        """End the run."""
        return steps.finish(self.tables, now, NAME, slot, token, end)

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run."""
        steps.record(self.tables, 0, record, token, keep)

    def unfinished(self, now: int) -> list[UnfinishedRun]:
        """Read the unfinished runs."""
        return list(steps.unfinished(self.tables, now, [NAME]).runs)

    def history(self, limit: int) -> list[RunRecord]:
        """Read the newest records."""
        return steps.history(self.tables, 0, NAME, limit)


AnyJob = Job | SqliteJob
Operation = Callable[[AnyJob, int], object]

# few enough that what belongs together meets
slots = st.integers(-1, 1).map(lambda number: EPOCH + 10_000 * number)
tokens = st.sampled_from("ab")
leases = st.sampled_from([1.0, 5.0, 30.0])
keeps = st.integers(1, 6)
ends = st.builds(
    End,
    status=st.sampled_from([Status.SUCCESS, Status.FAILED]),
    duration=st.sampled_from([0.5, 1.0]),
    error=st.sampled_from([None, "boom"]),
)
claims = st.builds(
    Claim,
    job=st.just(NAME),
    slot=slots,
    token=tokens,
    attempt=st.sampled_from([1, 2, 2, 3, 4]),
    instance_id=st.sampled_from("AB"),
    mode=st.sampled_from([Reason.SCHEDULED, Reason.TAKEOVER]),
    lease=leases,
    overlap=st.sampled_from(Overlap),
    max_attempts=st.integers(1, 3),
    limit=st.sampled_from([5.0, 600.0, 600.0]),
    startable=st.sampled_from([60.0, 300.0]),
    keep=keeps,
    keep_for=st.sampled_from([0.0, 10.0]),
)


@st.composite
def claiming(draw: st.DrawFn) -> Operation:
    """Draw a claim."""
    claim = draw(claims)
    return lambda job, now: job.claim(claim, now)


@st.composite
def acting(draw: st.DrawFn) -> Operation:
    """Draw what a runner says."""
    slot, token, lease, end = draw(st.tuples(slots, tokens, leases, ends))
    operations: list[Operation] = [
        lambda job, now: job.heartbeat(slot, token, lease, now),
        lambda job, now: job.release(slot, token, now),
        lambda job, now: job.finish(slot, token, end, now),
    ]
    return draw(st.sampled_from(operations))


@st.composite
def recording(draw: st.DrawFn) -> Operation:
    """Draw the record of a manual run."""
    slot, token, end, keep = draw(st.tuples(slots, tokens, ends, keeps))

    def operation(job: AnyJob, now: int) -> None:
        instant = datetime.fromtimestamp(now / 1000, UTC)
        record = RunRecord(
            job=NAME,
            slot=slot,
            attempt=1,
            status=end.status,
            reason=Reason.MANUAL,
            manual=True,
            instance_id="M",
            started_at=instant,
            ended_at=instant,
            duration=end.duration,
            error=end.error,
        )
        job.record(record, f"manual {token}", keep)

    return operation


moves = st.sampled_from([0, 0, 1, 4, 9, 10, 35, -1, -5, -20])
program = st.lists(
    st.tuples(
        moves, st.one_of(claiming(), acting(), claiming(), acting(), recording())
    ),
    max_size=40,
)


@settings(max_examples=1_000)
@given(program)
def test_stores_agree(program: list[tuple[int, Operation]]) -> None:
    """Every reply, every lease and every record is the same in both stores."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        tables = Tables(connection, statements("anarchon"))
        set_up(tables, 0, Path(":memory:"))
        memory, sqlite = Job(NAME), SqliteJob(tables)
        now = EPOCH
        for turn, (seconds, operation) in enumerate(program, 1):
            # no two steps at one instant, since the order of their records is open
            now += 1_000 * seconds
            at = now + turn
            assert operation(memory, at) == operation(sqlite, at)
            assert memory.unfinished(at) == sqlite.unfinished(at)
            assert memory.history(100) == sqlite.history(100)
        assert memory.history(2) == sqlite.history(2)
