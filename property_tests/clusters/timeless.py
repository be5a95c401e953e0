"""A store that grants each slot once and tells no time, as a broker is.

Decides who has a slot, by who asked first, and nothing else.
"""

from collections.abc import Sequence

import anyio.lowlevel

from anarchon.backends.clock import milliseconds
from anarchon.backends.memory.attempt import Attempt
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Running, Won
from anarchon.testing.clocks import VirtualClock


class TimelessStore:
    """The attempts of all jobs, by slot; ``clock`` is for their records alone."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._attempts: dict[tuple[str, int], Attempt] = {}
        self._manual: dict[str, RunRecord] = {}

    async def time(self) -> int | None:
        """Tell no time."""
        await anyio.lowlevel.checkpoint()
        return None

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Do nothing."""
        await anyio.lowlevel.checkpoint()

    async def claim(self, claim: Claim) -> ClaimReply:
        """Grant a slot to whoever asks first."""
        await anyio.lowlevel.checkpoint()
        name = claim.job, claim.slot
        if name not in self._attempts:
            self._attempts[name] = Attempt.granted(claim, 1, self._now())
        attempt = self._attempts[name]
        if attempt.token == claim.token and attempt.ended is None:
            return Won(now=None, attempt=1, left=0.0)
        runner = attempt.instance_id
        return Running(now=None, attempt=1, left=0.0, instance_id=runner)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End a run under its token; the first end stays."""
        await anyio.lowlevel.checkpoint()
        attempt = self._attempts.get((job, slot))
        if attempt is None or attempt.token != token:
            return Answer(now=None, accepted=False)
        if attempt.ended is None:
            attempt.end(end, self._now())
        return Answer(now=None, accepted=attempt.ended_as(end))

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run, once."""
        await anyio.lowlevel.checkpoint()
        self._manual.setdefault(token, record)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest records, newest first."""
        await anyio.lowlevel.checkpoint()
        records = [
            a.read(job) for (name, _), a in self._attempts.items() if name == job
        ]
        records += [record for record in self._manual.values() if record.job == job]
        records.sort(key=lambda record: record.started_at, reverse=True)
        return records[:limit]

    def _now(self) -> int:
        return milliseconds(self._clock.time())
