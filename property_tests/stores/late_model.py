"""A lease store that drops records when it suits it, as far as L10 leaves that to it.

Decides which records must be there, which mustn't, and what may be answered about those
in between. In all else it is the job of any lease store.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from anarchon.model import RunRecord
from anarchon.protocol import Answer, Claim, Done
from property_tests.stores.lease_model import Job
from property_tests.stores.stored import Either, Entry, at, ms, newest_first


@dataclass(frozen=True, slots=True)
class Bound:
    """What the grant of the newest slot asks for, and what nobody need keep by that."""

    keep: int
    keep_for: int
    young: datetime
    over: list[Entry]


class LateJob(Job):
    """The same job, but that all its entries are remembered here.

    ``loose`` are those that some grant, or a manual run, had no reason to keep: they
    may be gone. Whatever else the newest grant's options don't keep now may go unread.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.loose: list[Entry] = []
        self.bound: Bound | None = None

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run; one that is gone may come back."""
        super().record(record, token, keep)
        if back := [entry for entry in self.loose if entry.token == token]:
            self._drop(keep, [e for e in self.entries if e.record.manual])
            if self.bound is not None:
                over = [entry for entry in self.bound.over if entry not in back]
                self.bound = replace(self.bound, over=over)

    def history(self) -> list[RunRecord]:
        """Return all that may be read: not what the newest grant's options drop."""
        bound = self.bound
        gone = [] if bound is None else self._surely_beyond(bound.keep, bound.over)
        return [e.record for e in newest_first(self.entries) if e not in gone]

    def kept(self) -> list[RunRecord]:
        """Return all that must be read: the newest, young and unfinished ones."""
        return [entry.record for entry in self._kept()]

    def _finished(self, ended: list[Entry], now: int) -> Answer | Either:
        if ended and all(entry in self.loose for entry in ended):
            either = (Answer(now=now, accepted=each) for each in (True, False))
            return Either(tuple(either))
        return super()._finished(ended, now)

    def _passed(self, entries: list[Entry], now: int) -> Done | Either:
        """By its last record that is there, and any that may be gone may be."""
        left = sorted(entries, key=lambda entry: entry.record.attempt)
        unread = self._unread()
        answers = [super()._passed(left, now)]
        while left and left.pop() in unread:
            answers.append(super()._passed(left, now))
        return Either(tuple(answers))

    def _grant(self, claim: Claim, now: int, freed: int = 0) -> None:
        super()._grant(claim, now, freed)
        young = at(now - ms(claim.keep_for))
        if claim.slot == self.newest:
            over = self._surely_beyond(claim.keep, self._old(young))
            self.bound = Bound(claim.keep, ms(claim.keep_for), young, over)
        elif self.bound is not None:
            young = min(self.bound.young, at(now - self.bound.keep_for))
            self._drop(self.bound.keep, self._old(young))

    def _drop(self, keep: int, droppable: list[Entry]) -> None:
        self.loose += self._beyond(keep, droppable)

    def _surely_beyond(self, keep: int, entries: list[Entry]) -> list[Entry]:
        """Return those before which so many others must be read."""
        kept = self._kept()
        if len(kept) < keep:
            return []
        return [entry for entry in entries if entry.age < kept[keep - 1].age]

    def _kept(self) -> list[Entry]:
        unread = self._unread()
        return [e for e in newest_first(self.entries) if e not in unread]

    def _unread(self) -> list[Entry]:
        if self.bound is None:
            return self.loose
        old = self._old(self.bound.young)
        return [*self.loose, *self._beyond(self.bound.keep, old)]
