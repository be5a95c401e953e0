"""The open NATS store: a claim is a message, and the first one of a slot stays.

Decides what each operation puts into the streams and what the answers mean. Must not
know how the server is reached.
"""

from collections import Counter
from collections.abc import Sequence

from anarchon.backends.clock import milliseconds
from anarchon.backends.nats.entries import Entry, Held, message_of
from anarchon.backends.nats.history import SURPLUS, read_history
from anarchon.backends.nats.jetstream import JetStream, Stored
from anarchon.backends.nats.subjects import Subjects
from anarchon.backends.nats.timing import Time
from anarchon.errors import AnarchonError
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Early, Late, Running, Won

# the first of so many records that a store adds for a job has the older ones trimmed
TRIMMING = 32
# claims that were won here and aren't finished; of more, the oldest are read again
MOST_WON = 10_000


class NatsStore:
    """The open store without leases: each slot is granted once.

    The server grants a slot to the first message on its subject and remembers that for
    ``remember`` seconds. No slot is asked for that is older than half of it, and no
    grant believed that comes after all of it: so a claim that was forgotten is never
    granted again.
    """

    def __init__(
        self, jetstream: JetStream, subjects: Subjects, time: Time, remember: float
    ) -> None:
        self._jetstream = jetstream
        self._subjects = subjects
        self._time = time
        self._remember = remember
        self._added: Counter[str] = Counter()
        self._won: dict[tuple[str, int], tuple[Claim, int]] = {}

    async def time(self) -> int:
        """Return the server's clock, asked within the last half minute."""
        return await self._time.now()

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Ask for the time, so that the first claim needn't."""
        await self._time.now()

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim (L1, L2, L4); cancelled, it was granted or not made."""
        now = await self._time.now()
        subject = self._subjects.claim(claim.job, claim.slot)
        if refusal := self._untimely(claim, now):
            stored = await self._jetstream.last(self._subjects.claims, subject)
            return refusal if stored is None else await self._answer(claim, stored)
        message = message_of(claim, now)
        put = await self._jetstream.put(self._subjects.claims, subject, message)
        if isinstance(put, Stored):
            return await self._answer(claim, put)
        answered = self._time.estimate()
        if answered > claim.slot + milliseconds(self._remember):
            raise AnarchonError(
                f"slot {claim.slot} grew too old while it was asked for"
            )
        self._keep_in_mind(claim, now)
        return Won(now=answered, attempt=1, left=claim.lease)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the run by its record (L7, L10); cancelled, it is done or not."""
        now = await self._time.now()
        held = self._won_here(job, slot) or await self._held(job, slot)
        if held is None:
            # a record outlives its claim
            entry = await self._entry(job, slot)
        elif held.token != token:
            return Answer(now=self._time.estimate(), accepted=False)
        else:
            subject = self._subjects.result(job, slot)
            entry = await self._put(subject, Entry.of(held, end, now))
            self._won.pop((job, slot), None)
        accepted = entry is not None and entry.tells(token, end)
        return Answer(now=self._time.estimate(), accepted=accepted)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, it is there or not."""
        started = milliseconds(record.started_at.timestamp())
        subject = self._subjects.manual(record.job, started, token)
        await self._put(subject, Entry(record=record, token=token, keep=keep))

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        return await read_history(self._jetstream, self._subjects, job, limit)

    def _untimely(self, claim: Claim, now: int) -> Early | Late | None:
        """Return what a claim is answered that nobody could be granted now."""
        if claim.slot > now:
            return Early(now=now)
        if now > claim.slot + milliseconds(min(claim.limit, self._remember / 2)):
            return Late(now=now)
        return None

    async def _answer(self, claim: Claim, stored: Stored) -> Won | Running:
        """Return the answer for a slot that is granted, to this token or another."""
        held = Held.read(stored, claim.job)
        mine = held.token == claim.token
        if mine and await self._entry(claim.job, claim.slot) is None:
            now = self._time.estimate()
            return Won(  # noqa: ASYNC910  the message was asked for
                now=now, attempt=1, left=claim.lease
            )
        now, runner = self._time.estimate(), held.instance_id
        return Running(  # noqa: ASYNC910  the message was asked for
            now=now, attempt=1, left=0.0, instance_id=runner
        )

    async def _held(self, job: str, slot: int) -> Held | None:
        subject = self._subjects.claim(job, slot)
        stored = await self._jetstream.last(self._subjects.claims, subject)
        return None if stored is None else Held.read(stored, job)

    async def _entry(self, job: str, slot: int) -> Entry | None:
        subject = self._subjects.result(job, slot)
        stored = await self._jetstream.last(self._subjects.history, subject)
        return None if stored is None else Entry.read(stored, job)

    async def _put(self, subject: str, entry: Entry) -> Entry:
        """Return the record that is there, this one if none was; trim now and then."""
        history, job = self._subjects.history, entry.record.job
        put = await self._jetstream.put(history, subject, entry.write())
        if isinstance(put, Stored):
            return Entry.read(put, job)
        if self._added[job] % TRIMMING == 0:
            records = self._subjects.records_of(job)
            await self._jetstream.trim(history, records, entry.keep + SURPLUS)
        self._added[job] += 1
        return entry

    def _keep_in_mind(self, claim: Claim, started: int) -> None:
        if len(self._won) >= MOST_WON:
            del self._won[next(iter(self._won))]
        self._won[claim.job, claim.slot] = claim, started

    def _won_here(self, job: str, slot: int) -> Held | None:
        won = self._won.get((job, slot))
        return None if won is None else Held.by(*won)
