"""A store that grants each slot once, as the laws word it: one answer to each request.

Decides what every claim-only store must answer, and what is stored after it. Must not
share a line with any store. ``now`` is the store's clock, in milliseconds.
"""

from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    Done,
    Early,
    Late,
    Running,
    Won,
)
from property_tests.stores.stored import Entry, begun, ms


class ClaimOnlyJob:
    """What the store keeps of one job: who has which slot, and the results told.

    ``in_order`` stores grant no slot older than the newest; those that ``tell_time``
    refuse what is early or late.
    """

    def __init__(self, *, in_order: bool, tells_time: bool) -> None:
        self.newest: int | None = None
        self.entries: dict[int, Entry] = {}
        self.manual: dict[str, Entry] = {}
        self._in_order = in_order
        self._tells_time = tells_time

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        """What is taken stays taken; else what is out of order or time is refused."""
        told = self._told(now)
        if claim.slot in self.entries:
            return self._taken(claim, told, self.entries[claim.slot])
        if self._in_order and self.newest is not None and claim.slot <= self.newest:
            return Done(now=told, superseded=True, newest=self.newest)  # L3
        if refused := self._untimely(claim, now):
            return refused
        self.newest = max(claim.slot, self.newest or claim.slot)
        self.entries[claim.slot] = Entry(claim.token, begun(claim, now))
        return Won(now=told, attempt=1, left=0.0)

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        """L7: under the slot's token. L2: the first end stays, told again or not."""
        entry = self.entries.get(slot)
        if entry is None or entry.token != token:
            return Answer(now=self._told(now), accepted=False)
        if entry.record.ended_at is None:
            entry.end(now, end)
        return Answer(now=self._told(now), accepted=entry.ended_as(end))

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """L10: a manual run has one record. None of these few is dropped."""
        assert len(self.manual) < keep
        self.manual.setdefault(token, Entry(token, record))

    def history(self) -> list[RunRecord]:
        """Return all records, newest first."""
        entries = [*self.entries.values(), *self.manual.values()]
        entries.sort(key=lambda entry: entry.age, reverse=True)
        return [entry.record for entry in entries]

    def _taken(self, claim: Claim, told: int | None, entry: Entry) -> ClaimReply:
        if entry.token == claim.token and entry.record.ended_at is None:  # L2
            return Won(now=told, attempt=1, left=0.0)
        runner = entry.record.instance_id
        return Running(now=told, attempt=1, left=0.0, instance_id=runner)  # L1

    def _untimely(self, claim: Claim, now: int) -> Early | Late | None:  # L4
        if not self._tells_time:
            return None
        if now < claim.slot:
            return Early(now=now)
        return Late(now=now) if now > claim.slot + ms(claim.limit) else None

    def _told(self, now: int) -> int | None:
        return now if self._tells_time else None
