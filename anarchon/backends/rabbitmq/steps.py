"""How claims and ends are carried out: settled by the log, then told to the history.

Decides what is written in which order. Every step may be carried out again. Must not
know how a link is had.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

from anarchon.backends.clock import instant
from anarchon.backends.rabbitmq import history
from anarchon.backends.rabbitmq.entries import Claimed, Ended, Mark
from anarchon.backends.rabbitmq.history import Stored
from anarchon.backends.rabbitmq.link import Link
from anarchon.backends.rabbitmq.table import Run, Table
from anarchon.model import End, RunRecord, Status
from anarchon.protocol import Answer, Claim, ClaimReply, Running, Won


class Steps:
    """The operations, each on a link that may break on the way."""

    def __init__(
        self, table: Table, stream_of: Callable[[str], str], now: Callable[[], int]
    ) -> None:
        self._table = table
        self._stream_of = stream_of
        self._now = now

    async def claim(self, link: Link, claim: Claim) -> ClaimReply:
        """Add a claim unless the slot is granted already, and see whose it is."""
        run = self._table.run(claim.job, claim.slot)
        if run is None:
            await link.append(Claimed.by(claim, self._now()))
            run = self._table.run(claim.job, claim.slot)
            assert run is not None
        if not run.held_by(claim.token):
            return taken(run)  # noqa: ASYNC910  the link was waited for
        run.mine = True
        await self._write(link, _begun(run.claimed))
        return Won(now=None, attempt=1, left=claim.lease)

    async def finish(
        self, link: Link, job: str, slot: int, token: str, end: End
    ) -> Answer:
        """End a run under its token, once; tell whether this is how it ended."""
        run = await self._run(link, job, slot)
        if run is None or run.claimed.token != token:
            return Answer(now=None, accepted=False)
        told = _told(end)
        if run.ended is None:
            await self._end(link, run.claimed, end, told)
        elif run.ended.end == told:
            await self._write(link, _ended(run.claimed, end, run.ended.ended))
        accepted = run.ended is not None and run.ended.end == told
        return Answer(now=None, accepted=accepted)

    async def record(
        self, link: Link, record: RunRecord, token: str, keep: int
    ) -> None:
        """Add a record that was made elsewhere."""
        await self._write(link, Stored(record=record, token=token, keep=keep))

    async def history(self, link: Link, job: str, limit: int) -> list[RunRecord]:
        """Read a job's records, and those that a runner did not live to write."""
        records = await history.read(link, self._stream_of(job), limit)
        known = {record.slot for record in records if not record.manual}
        orphans = [
            _begun(claimed)
            for claimed in self._table.going_on(job)
            if claimed.slot not in known
        ]
        return history.joined(records, orphans, limit)

    async def _run(self, link: Link, job: str, slot: int) -> Run | None:
        run = self._table.run(job, slot)
        if run is None:
            # another instance's claim may not have come out of the log yet
            await link.append(Mark())
            run = self._table.run(job, slot)
        return run  # noqa: ASYNC910  what it is for waits

    async def _end(self, link: Link, claimed: Claimed, end: End, told: str) -> None:
        """Write the record and the end in the log in one go."""
        now = self._now()
        ended = Ended(
            job=claimed.job,
            slot=claimed.slot,
            token=claimed.token,
            ended=now,
            end=told,
        )
        await asyncio.gather(
            self._write(link, _ended(claimed, end, now)), link.append(ended)
        )

    async def _write(self, link: Link, stored: Stored) -> None:
        await history.write(link, self._stream_of(stored.record.job), stored)


def taken(run: Run) -> Running:
    """Return the answer to whoever doesn't get a slot."""
    runner = run.claimed.instance_id
    return Running(now=None, attempt=1, left=0.0, instance_id=runner)


def _told(end: End) -> str:
    """Return what tells this end from any other."""
    text = json.dumps([end.status, end.duration, end.error])
    return sha256(text.encode()).hexdigest()[:32]


def _begun(claimed: Claimed) -> Stored:
    record = RunRecord(
        job=claimed.job,
        slot=claimed.slot,
        attempt=1,
        status=Status.RUNNING,
        reason=claimed.reason,
        manual=False,
        instance_id=claimed.instance_id,
        started_at=instant(claimed.started),
    )
    return Stored(record=record, token=claimed.token, keep=claimed.keep)


def _ended(claimed: Claimed, end: End, ended: int) -> Stored:
    begun = _begun(claimed)
    record = replace(
        begun.record,
        status=end.status,
        ended_at=instant(ended),
        duration=end.duration,
        error=end.error,
    )
    return replace(begun, record=record)
