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
from property_tests.stores.stored import (
    Either,
    Entry,
    at,
    begun,
    ms,
    newest_first,
)


class ClaimOnlyJob:
    """What the store keeps of one job: who has which slot, and history.

    ``in_order`` stores grant no slot older than the newest; those that ``tell_time``
    refuse what is early or late.
    """

    def __init__(self, *, in_order: bool, tells_time: bool) -> None:
        self.newest: int | None = None
        self.runners: dict[int, str] = {}
        self.entries: list[Entry] = []
        self._in_order = in_order
        self._tells_time = tells_time

    def claim(self, claim: Claim, now: int) -> ClaimReply | Either:
        """What is taken stays taken; else what is out of order or time is refused."""
        told = self._told(now)
        if entry := self._run(claim.slot):
            return self._taken(claim, told, entry)
        if self._in_order and self.newest is not None and claim.slot <= self.newest:
            return Done(now=told, superseded=True, newest=self.newest)  # L3
        refused = self._untimely(claim, now)
        if claim.slot in self.runners:  # its record is gone
            taken = self._running(claim, told)
            return Either((taken, refused)) if refused else taken
        if refused:
            return refused
        self._grant(claim, now)
        return Won(now=told, attempt=1, left=0.0)

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer | Either:
        """L7: under the slot's token. L2: the first end stays, told again or not."""
        entry = self._run(slot)
        if entry is None or entry.token != token:
            return Answer(now=self._told(now), accepted=False)
        if entry.record.ended_at is None:
            entry.end(now, end)
        return Answer(now=self._told(now), accepted=entry.ended_as(end))

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """L10: a manual run has one record; manual ones make room for it."""
        if all(token != entry.token for entry in self.entries):
            self.entries.append(Entry(token, record, keep))
            self._drop(keep, [e for e in self.entries if e.record.manual])

    def history(self) -> list[RunRecord]:
        """Return all records that may be there, newest first."""
        return [entry.record for entry in newest_first(self.entries)]

    def kept(self) -> list[RunRecord]:
        """Return those that must be there: every one."""
        return self.history()

    def _grant(self, claim: Claim, now: int) -> None:
        self.newest = max(claim.slot, self.newest or claim.slot)
        self.runners[claim.slot] = claim.instance_id
        self.entries.append(Entry(claim.token, begun(claim, now), claim.keep))
        young = at(now - ms(claim.keep_for))
        self._drop(claim.keep, [e for e in self.entries if e.ended_before(young)])

    def _drop(self, keep: int, droppable: list[Entry]) -> None:  # L10
        newest = newest_first(self.entries)[:keep]
        self.entries = [e for e in self.entries if e in newest or e not in droppable]

    def _run(self, slot: int) -> Entry | None:
        runs = [e for e in self.entries if e.record.slot == slot]
        return next((entry for entry in runs if not entry.record.manual), None)

    def _taken(self, claim: Claim, told: int | None, entry: Entry) -> ClaimReply:
        if entry.token == claim.token and entry.record.ended_at is None:  # L2
            return Won(now=told, attempt=1, left=0.0)
        return self._running(claim, told)

    def _running(self, claim: Claim, told: int | None) -> Running:  # L1
        runner = self.runners[claim.slot]
        return Running(now=told, attempt=1, left=0.0, instance_id=runner)

    def _untimely(self, claim: Claim, now: int) -> Early | Late | None:  # L4
        if not self._tells_time:
            return None
        if now < claim.slot:
            return Early(now=now)
        return Late(now=now) if now > claim.slot + ms(claim.limit) else None

    def _told(self, now: int) -> int | None:
        return now if self._tells_time else None
