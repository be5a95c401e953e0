"""The open Redis store: each method is one script, in one round trip.

Decides which lane carries what. Must not know what the scripts do.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.backends.records import Value
from anarchon.backends.redis import asking, reading
from anarchon.backends.redis.keys import Keys
from anarchon.backends.redis.lane import Lane
from anarchon.backends.redis.scripts import Scripts
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Unfinished

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """Claims and ends go one way; heartbeats and releases another, past any burst.

    ``jobs_at_once`` is how many jobs one script can read.
    """

    work: Lane
    beats: Lane
    jobs_at_once: int


class RedisClaimStore:
    """What any strategy does. ``clock`` is a test's, in place of the server's."""

    def __init__(
        self, lanes: Lanes, keys: Keys, scripts: Scripts, clock: StoreClock | None
    ) -> None:
        self._work = lanes.work
        self._beats = lanes.beats
        self._jobs_at_once = lanes.jobs_at_once
        self._keys = keys
        self._scripts = scripts
        self._clock = clock
        remembers = keys.strategy.remembers
        self._memory = None if remembers is None else milliseconds(remembers)

    async def time(self) -> int:
        """Return the server's clock."""
        keys, asked = [self._keys.anywhere], self._asked()
        reply = await self._beats.ask(self._scripts.time, keys, asked)
        return int(reply["now"])

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Do nothing: a job's keys are made by its first claim."""
        await asyncio.sleep(0)

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1 to L6, L9); cancelled, it was answered or not made."""
        keys = self._keys.of_job(claim.job, claim.slot)
        asked = self._asked(memory=self._memory, **asking.claim_fields(claim))
        reply = await self._work.ask(self._scripts.claim, keys, asked)
        return reading.claim_reply(claim.job, reply)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10); cancelled, it is done or not."""
        keys = self._keys.of_job(job, slot)
        asked = self._asked(slot=slot, token=token, **asking.end_fields(end))
        return reading.answer(await self._work.ask(self._scripts.finish, keys, asked))

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        keys = self._keys.of_history(record.job)
        fields = asking.record_fields(record, token)
        asked = self._asked(record=fields, token=token, keep=keep)
        await self._work.ask(self._scripts.manual, keys, asked)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        keys = self._keys.of_history(job)
        asked = self._asked(limit=max(limit, 0))
        stored = await self._work.read(self._scripts.history, keys, asked)
        return [reading.record(job, keys[0], record) for record in stored]

    def _asked(self, **asked: Value | Mapping[str, Value]) -> str:
        if self._clock is not None:
            asked["now"] = milliseconds(self._clock.time())
        return asking.argument(asked)


class RedisLeaseStore(RedisClaimStore):
    """What the strategy ``lease`` does beyond that."""

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Push the lease's end (L7); cancelled, it was pushed or not."""
        keys = self._keys.of_job(job, slot)
        asked = self._asked(slot=slot, token=token, lease=milliseconds(lease))
        return reading.answer(
            await self._beats.ask(self._scripts.heartbeat, keys, asked)
        )

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """End the lease and spend the token (L8); cancelled, it is done or not."""
        keys = self._keys.of_job(job, slot)
        asked = self._asked(slot=slot, token=token)
        return reading.answer(await self._beats.ask(self._scripts.release, keys, asked))

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Return the unfinished runs of these jobs; changes nothing."""
        step = self._jobs_at_once
        firsts = range(0, max(len(jobs), 1), step)
        parts = [self._unfinished(jobs[first : first + step]) for first in firsts]
        return reading.merged(await _all(parts))

    async def _unfinished(self, jobs: Sequence[str]) -> Unfinished:
        keys = {job: self._keys.of_runs(job) for job in jobs}
        now, *stored = await self._work.read(
            self._scripts.unfinished, [*keys.values()], self._asked()
        )
        return reading.unfinished(keys, stored, int(now))


async def _all(calls: Iterable[Awaitable[T]]) -> list[T]:
    """Return the answers to all calls; none goes on when one has failed."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]
