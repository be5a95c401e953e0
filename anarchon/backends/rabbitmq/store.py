"""The open RabbitMQ store: what is asked of the log of claims and of the histories.

Decides what is written in which order: a claim or an end to the log first, which
settles it, and then to the history. Must not know AMQP.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256

from anarchon.backends.clock import instant
from anarchon.backends.rabbitmq import history
from anarchon.backends.rabbitmq.connecting import Connector
from anarchon.backends.rabbitmq.entries import Claimed, Ended
from anarchon.backends.rabbitmq.history import Stored
from anarchon.backends.rabbitmq.log import ClaimLog
from anarchon.backends.rabbitmq.table import Run
from anarchon.model import End, RunRecord, Status
from anarchon.protocol import Answer, Claim, ClaimReply, Late, Running, Won


@asynccontextmanager
async def open_store(
    connector: Connector, namespace: str, remember: int, now: Callable[[], int]
) -> AsyncGenerator["RabbitMQStore"]:
    """Connect, read the log of claims, yield the store, and close it.

    Raises:
        BackendUnavailable: the log can't be used with these settings.
        BackendTooOld: the server has no streams.
    """
    log = ClaimLog(connector, f"{namespace}.claims", remember)
    async with log.open():
        yield RabbitMQStore(log, namespace, remember, now)


class RabbitMQStore:
    """Grants each slot to whoever's claim is the first in the log."""

    def __init__(
        self, log: ClaimLog, namespace: str, remember: int, now: Callable[[], int]
    ) -> None:
        self._log = log
        self._namespace = namespace
        self._oldest = remember * 1000 // 2
        self._now = now

    async def time(self) -> None:
        """Tell no time: the server has none to ask for."""
        await asyncio.sleep(0)

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Do nothing: a job's stream is made with its first record."""
        await asyncio.sleep(0)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1, L2); cancelled, it is in the log or not.

        A slot that is older than half of what the log remembers is late: the claim
        that won it might be forgotten.
        """
        run = self._log.table.run(claim.job, claim.slot)
        if run is None:
            now = self._now()
            if now - claim.slot > self._oldest:
                return Late(now=None)  # noqa: ASYNC910  nothing is asked
            await self._log.append(Claimed.by(claim, now))
            run = self._log.table.run(claim.job, claim.slot)
            assert run is not None
        return await self._answer(claim, run)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10).

        Cancelled, it has ended or not, and the record may still read ``running``.
        """
        told = _told(end)
        run = self._log.table.run(job, slot)
        # another instance's claim may not have come out of the log yet
        if run is None or run.held_by(token):
            ended = Ended(job=job, slot=slot, token=token, ended=self._now(), end=told)
            await self._log.append(ended)
            run = self._log.table.run(job, slot)
        if run is None or run.claimed.token != token or run.ended is None:
            return Answer(now=None, accepted=False)
        if run.ended.end != told:
            return Answer(now=None, accepted=False)
        await self._write(_ended(run.claimed, end, run.ended.ended))
        return Answer(now=None, accepted=True)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        await self._write(Stored(record=record, token=token, keep=keep))

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        if limit <= 0:
            await asyncio.sleep(0)
            return []
        async with self._log.link() as link:
            return await history.read(link, self._stream(job), limit)

    async def _answer(self, claim: Claim, run: Run) -> ClaimReply:
        if not run.held_by(claim.token):
            runner = run.claimed.instance_id
            return Running(now=None, attempt=1, left=0.0, instance_id=runner)
        run.mine = True
        await self._write(_begun(run.claimed))
        return Won(now=None, attempt=1, left=claim.lease)

    async def _write(self, stored: Stored) -> None:
        async with self._log.link() as link:
            await history.write(link, self._stream(stored.record.job), stored)

    def _stream(self, job: str) -> str:
        return history.stream_of(self._namespace, job)


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
