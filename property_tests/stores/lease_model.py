"""A store that keeps leases, as the laws word it: one right answer to each request.

Decides what every lease store must answer, and what is stored after it. Written from
the laws alone; it must not share a line with any store. ``now`` is the store's clock.
All times are whole milliseconds, but in requests, replies and records.
"""

from datetime import datetime

from anarchon.model import End, Overlap, Reason, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    Done,
    Early,
    Late,
    NoRun,
    Overlapping,
    Running,
    UnfinishedRun,
    Won,
)
from property_tests.stores.stored import (
    Either,
    Entry,
    Run,
    at,
    begun,
    ms,
    newest_first,
)


class Job:
    """What the store keeps of one job: the newest slot, runs, history."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.newest: int | None = None
        self.runs: dict[int, Run] = {}
        self.entries: list[Entry] = []

    def claim(self, claim: Claim, now: int) -> ClaimReply | Either:
        """The run itself if there is one; otherwise a first attempt."""
        self._correct_leases(now)
        if claim.slot in self.runs:
            return self._next_attempt(claim, now, self.runs[claim.slot])
        return self._first_attempt(claim, now)

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        """L7: also after the lease ran out, while nobody took the run."""
        run = self.runs.get(slot)
        if run is None or not run.held_by(token):
            return Answer(now=now, accepted=False)
        run.lease = ms(lease)
        run.until = now + run.lease
        return Answer(now=now, accepted=True, left=lease)

    def release(self, slot: int, token: str, now: int) -> Answer:
        """L8: lease, record and token end at once, and the attempt costs nothing."""
        run = self.runs.get(slot)
        if run is None or run.token != token:
            return Answer(now=now, accepted=False)
        if not run.spent:
            run.spent, run.freed = True, run.freed + 1
            run.until, run.lease = now, 0
            self._current(run).interrupt(now, handed_over=True)
        return Answer(now=now, accepted=True)

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer | Either:
        """L7 under the current token; L2 if that very end is there already."""
        run = self.runs.get(slot)
        if run is not None and run.held_by(token):
            self._current(run).end(now, end)
            del self.runs[slot]
            return Answer(now=now, accepted=True)
        ended = [e for e in self._of(slot) if e.token == token and e.ended_as(end)]
        return self._finished(ended, now)

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """L10: a manual run has one record; manual ones make room for it."""
        if all(token != entry.token for entry in self.entries):
            self.entries.append(Entry(token, record, keep))
            self._drop(keep, [e for e in self.entries if e.record.manual])

    def unfinished(self, now: int) -> tuple[UnfinishedRun, ...]:
        """Return the unfinished runs, oldest slot first."""
        return tuple(
            UnfinishedRun(
                job=self.name,
                slot=run.slot,
                attempt=run.attempt,
                instance_id=run.instance_id,
                left=run.left(now),
            )
            for _, run in sorted(self.runs.items())
        )

    def history(self) -> list[RunRecord]:
        """Return all records that may be there, newest first."""
        return [entry.record for entry in newest_first(self.entries)]

    def kept(self) -> list[RunRecord]:
        """Return those that must be there: every one."""
        return self.history()

    def _finished(self, ended: list[Entry], now: int) -> Answer | Either:  # L2
        return Answer(now=now, accepted=bool(ended))

    def _passed(self, entries: list[Entry], now: int) -> Done | Either:  # L3
        last = max(entries, key=lambda e: e.record.attempt, default=None)
        return Done(
            now=now,
            superseded=last is None,
            newest=self.newest,
            instance_id=None if last is None else last.record.instance_id,
        )

    def _next_attempt(self, claim: Claim, now: int, run: Run) -> ClaimReply:
        if run.held_by(claim.token):  # L2
            return Won(now=now, attempt=run.attempt, left=run.left(now))
        if run.alive(now) or claim.attempt != run.attempt + 1:  # L1
            return Running(
                now=now,
                attempt=run.attempt,
                left=run.left(now),
                instance_id=run.instance_id,
            )
        if rival := self._rival(claim, now):
            return rival
        if run.attempt - run.freed >= claim.max_attempts:  # L8, L9
            return Done(
                now=now,
                superseded=False,
                newest=self.newest,
                instance_id=run.instance_id,
                ended=(self._end_for_good(run, now),),
            )
        return self._take_over(claim, now, run)

    def _take_over(self, claim: Claim, now: int, run: Run) -> Won:  # L6
        self._current(run).interrupt(now)
        self._grant(claim, now, freed=run.freed)
        return Won(
            now=now,
            attempt=claim.attempt,
            left=claim.lease,
            taken_from=run.instance_id,
            waited=(now - run.until) / 1000,
        )

    def _first_attempt(self, claim: Claim, now: int) -> ClaimReply | Either:
        if self.newest is not None and claim.slot <= self.newest:  # L3
            return self._passed(self._of(claim.slot), now)
        if claim.mode is Reason.TAKEOVER:
            return NoRun(now=now, could=now <= claim.slot + ms(claim.startable))
        if now < claim.slot:  # L4
            return Early(now=now)
        if now > claim.slot + ms(claim.limit):  # L4
            return Late(now=now)
        if rival := self._rival(claim, now):
            return rival
        ended = self._replace_older(claim, now)
        self.newest = claim.slot
        self._grant(claim, now)
        return Won(now=now, attempt=1, left=claim.lease, ended=ended)

    def _rival(self, claim: Claim, now: int) -> Overlapping | None:  # L5
        if claim.overlap is Overlap.ALLOW:
            return None
        for slot, run in sorted(self.runs.items()):
            if slot != claim.slot and run.alive(now):
                return Overlapping(
                    now=now,
                    slot=slot,
                    attempt=run.attempt,
                    left=run.left(now),
                    instance_id=run.instance_id,
                )
        return None

    def _replace_older(self, claim: Claim, now: int) -> tuple[RunRecord, ...]:  # L6
        if claim.overlap is Overlap.ALLOW:
            return ()
        older = [run for slot, run in sorted(self.runs.items()) if slot < claim.slot]
        return tuple(self._end_for_good(run, now) for run in older)

    def _end_for_good(self, run: Run, now: int) -> RunRecord:  # L9
        entry = self._current(run)
        entry.interrupt(now)
        del self.runs[run.slot]
        return entry.record

    def _grant(self, claim: Claim, now: int, freed: int = 0) -> None:
        self.runs[claim.slot] = Run(
            slot=claim.slot,
            attempt=claim.attempt,
            token=claim.token,
            instance_id=claim.instance_id,
            until=now + ms(claim.lease),
            lease=ms(claim.lease),
            freed=freed,
        )
        self.entries.append(Entry(claim.token, begun(claim, now), claim.keep))
        self._drop(claim.keep, self._old(at(now - ms(claim.keep_for))))

    def _old(self, young: datetime) -> list[Entry]:  # L10
        return [
            entry
            for entry in self.entries
            if entry.ended_before(young) and not self._is_of_a_run(entry.record)
        ]

    def _is_of_a_run(self, record: RunRecord) -> bool:
        return record.slot in self.runs and not record.manual

    def _drop(self, keep: int, droppable: list[Entry]) -> None:  # L10
        gone = self._beyond(keep, droppable)
        self.entries = [entry for entry in self.entries if entry not in gone]

    def _beyond(self, keep: int, droppable: list[Entry]) -> list[Entry]:
        newest = newest_first(self.entries)[:keep]
        return [entry for entry in droppable if entry not in newest]

    def _correct_leases(self, now: int) -> None:  # L9
        for run in self.runs.values():
            run.until = min(run.until, now + run.lease)

    def _of(self, slot: int) -> list[Entry]:
        return [
            entry
            for entry in self.entries
            if entry.record.slot == slot and not entry.record.manual
        ]

    def _current(self, run: Run) -> Entry:
        [entry] = [e for e in self._of(run.slot) if e.record.attempt == run.attempt]
        return entry
