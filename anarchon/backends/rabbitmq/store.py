"""The open RabbitMQ store: what is asked of the log of claims and of the histories.

Decides what is answered without asking the server: whose slot it is, once that was
read. Must not know AMQP.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from anarchon.backends.rabbitmq import history
from anarchon.backends.rabbitmq.connecting import Connector
from anarchon.backends.rabbitmq.log import ClaimLog
from anarchon.backends.rabbitmq.steps import Steps, taken
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Late

# a busy server needs a tenth of a second for one that is new, and slots don't wait
_PREPARES_WITHIN = 0.5


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
        self._steps = Steps(log.table, self._stream, now)

    async def time(self) -> None:
        """Tell no time: the server has none to ask for."""
        await asyncio.sleep(0)

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Create the streams of these jobs' records; cancelled, some of them.

        What takes too long is left to the first record.
        """
        streams = [self._stream(job) for job in jobs]
        await self._log.using(history.make, streams, _PREPARES_WITHIN)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1, L2); cancelled, it is in the log or not.

        A slot that is older than half of what the log remembers is late: the claim
        that won it might be forgotten.
        """
        run = self._log.table.run(claim.job, claim.slot)
        if run is None and self._now() - claim.slot > self._oldest:
            await asyncio.sleep(0)
            return Late(now=None)
        if run is not None and not run.held_by(claim.token):
            await asyncio.sleep(0)
            return taken(run)
        return await self._log.using(self._steps.claim, claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10).

        Cancelled, it has ended or not, and the record may still read ``running``.
        """
        return await self._log.using(self._steps.finish, job, slot, token, end)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        await self._log.using(self._steps.record, record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        if limit <= 0:
            await asyncio.sleep(0)
            return []
        return await self._log.using(self._steps.history, job, limit)

    def _stream(self, job: str) -> str:
        return history.stream_of(self._namespace, job)
