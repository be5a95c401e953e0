"""The open PostgreSQL store: each method is one call, in one round trip.

Decides which lane carries what. Must not know what the steps do.
"""

import asyncio
from collections.abc import Callable, Sequence

from anarchon.backends.clock import milliseconds
from anarchon.backends.postgres.lane import Lane
from anarchon.backends.postgres.replies import (
    answer_from,
    claim_reply,
    records_from,
    unfinished_from,
)
from anarchon.backends.postgres.sql import Schema, Step, Value
from anarchon.backends.postgres.stepping import Stepping
from anarchon.backends.records import fields_of, integer, storable
from anarchon.model import End, Overlap, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Unfinished

_TOKEN = ("text", "bigint", "text")
_OPTIONS = ("bigint", "boolean", "integer", "bigint", "bigint", "bigint", "bigint")

CLAIM = Step("claim", (*_TOKEN, "integer", "text", "text", *_OPTIONS), row="request")
FINISH = Step("finish", (*_TOKEN, "text", "double precision", "text"))
HEARTBEAT = Step("heartbeat", (*_TOKEN, "bigint"))
RELEASE = Step("release", _TOKEN)
RECORD = Step("record", (), row="records")

_RECORD = (
    *("job", "started", "attempt", "slot", "token", "reason", "instance_id"),
    *("ended", "status", "duration", "error", "handed_over"),
)
"""The columns of a record, in the order that they have in its table."""


class PostgresStore:
    """Claims and ends go one way; heartbeats and releases another, past any burst.

    ``given`` reads a test's clock; it returns ``None`` for the server's own.
    """

    def __init__(
        self, work: Lane, beats: Lane, schema: Schema, given: Callable[[], int | None]
    ) -> None:
        self._work = work
        self._schema = schema
        self._given = given
        self._claims = Stepping(work, schema, CLAIM, given)
        self._ends = Stepping(work, schema, FINISH, given)
        self._beats = Stepping(beats, schema, HEARTBEAT, given)
        self._releases = Stepping(beats, schema, RELEASE, given)

    async def time(self) -> int:
        """Return the server's clock."""
        query = self._schema.call("time", self._given())
        return integer(await self._work.ask(query))

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Do nothing: jobs need no preparation here."""
        await asyncio.sleep(0)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1 to L6, L9); cancelled, it was answered or not made."""
        return claim_reply(await self._claims.ask(*_request(claim)))

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10); cancelled, it is done or not."""
        told = (str(end.status), end.duration, _written(end.error))
        return answer_from(await self._ends.ask(job, slot, token, *told))

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        fields = {**fields_of(record), "error": _written(record.error), "token": token}
        row = tuple(fields[column] for column in _RECORD)
        await self._work.ask(self._schema.one(RECORD, row, _count(keep)))

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        query = self._schema.call("history", job, _count(limit))
        return records_from(await self._work.ask(query))

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Push the lease's end (L7); cancelled, it was pushed or not."""
        beat = await self._beats.ask(job, slot, token, milliseconds(lease))
        return answer_from(beat, left=lease)

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """End the lease and spend the token (L8); cancelled, it is done or not."""
        return answer_from(await self._releases.ask(job, slot, token))

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Return the unfinished runs of these jobs; changes nothing."""
        query = self._schema.call("unfinished", list(jobs), self._given())
        return unfinished_from(await self._work.ask(query))


def _request(claim: Claim) -> tuple[Value, ...]:
    """Return a claim as a row of the type ``request``."""
    return (
        claim.job,
        claim.slot,
        claim.token,
        claim.attempt,
        claim.instance_id,
        str(claim.mode),
        milliseconds(claim.lease),
        claim.overlap is Overlap.SKIP,
        claim.max_attempts,
        milliseconds(claim.limit),
        milliseconds(claim.startable),
        _count(claim.keep),
        milliseconds(claim.keep_for),
    )


def _count(number: int) -> int:
    """Return a number as the server can hold it; no table has as many rows."""
    return min(max(number, 0), 2**63 - 1)


def _written(error: str | None) -> str | None:
    """Return a text as the server can hold it: NUL and lone surrogates are escaped."""
    told = storable(error)
    return None if told is None else told.replace("\0", "\\x00")
