"""A claim-only store that shows the newest records alone, and drops any at any time.

Decides how many are shown: as many as the newest record's options ask for, or those of
whoever wrote last.
"""

from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Won
from property_tests.stores.claim_model import ClaimOnlyJob
from property_tests.stores.stored import Either, Entry, newest_first


class BriefJob(ClaimOnlyJob):
    """The same job, but that none of its entries is ever dropped here."""

    def __init__(self, *, in_order: bool, tells_time: bool) -> None:
        super().__init__(in_order=in_order, tells_time=tells_time)
        self.last_keep = 0

    def claim(self, claim: Claim, now: int) -> ClaimReply | Either:
        """Answer a claim."""
        reply = super().claim(claim, now)
        if isinstance(reply, Won):
            self._written(claim.slot)
        return reply

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer | Either:
        """End a run."""
        answer = super().finish(slot, token, end, now)
        if isinstance(answer, Answer) and answer.accepted:
            self._written(slot)
        return answer

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run."""
        super().record(record, token, keep)
        self.last_keep = keep

    def history(self) -> list[RunRecord]:
        """Return what may be shown: also runs that go on, however old they are."""
        newest = newest_first(self.entries)
        most = max(self._keeps())
        return [
            entry.record
            for place, entry in enumerate(newest)
            if place < most or entry.record.ended_at is None
        ]

    def kept(self) -> list[RunRecord]:
        """Return what must be shown: the newest."""
        return self.history()[: min(self._keeps())]

    def _keeps(self) -> tuple[int, int]:
        newest = newest_first(self.entries)
        return self.last_keep, newest[0].keep if newest else 0

    def _written(self, slot: int) -> None:
        entry = self._run(slot)
        self.last_keep = self.last_keep if entry is None else entry.keep

    def _drop(self, keep: int, droppable: list[Entry]) -> None:
        """Remember them all, so that they may be shown."""
