"""The atomic steps on one job, each given the store's now.

Decides what each step writes; ``backends.claim`` decides claims. Must not know locks,
clocks nor loops: whoever calls a step makes it atomic. Instants are milliseconds.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter

from anarchon.backends.claim import (
    Decision,
    Run,
    decide,
    decide_once,
    set_back,
)
from anarchon.backends.clock import milliseconds
from anarchon.backends.memory.attempt import Attempt
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Done, UnfinishedRun, Won

_age = attrgetter("age")


class Job:
    """A job's newest granted slot, its unfinished runs and its records.

    ``_current`` holds the record of each unfinished run's attempt; ``_records`` holds
    them all, the oldest first.
    """

    __slots__ = ("_current", "_name", "_newest", "_records", "_runs")

    def __init__(self, name: str) -> None:
        self._name = name
        self._newest: int | None = None
        self._runs: dict[int, Run] = {}
        self._current: dict[int, Attempt] = {}
        self._records: list[Attempt] = []

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        """Answer a claim on a lease store (L1 to L6, L9)."""
        for run in set_back(self._runs.values(), now):
            self._runs[run.slot] = run
        return self._carry_out(
            decide(claim, now, self._newest, self._runs, self._last_runner), claim, now
        )

    def claim_once(self, claim: Claim, now: int) -> ClaimReply:
        """Answer a claim on a claim-only store (L1 to L4)."""
        return self._carry_out(
            decide_once(claim, now, self._newest, self._runs, self._last_runner),
            claim,
            now,
        )

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        """Let the lease end ``lease`` seconds from now (L7)."""
        run = self._runs.get(slot)
        if run is None or not run.held_by(token):
            return Answer(now=now, accepted=False)
        length = milliseconds(lease)
        self._runs[slot] = replace(run, until=now + length, lease=length)
        return Answer(now=now, accepted=True, left=lease)

    def release(self, slot: int, token: str, now: int) -> Answer:
        """End the lease, the attempt's record and the token, all at once (L8)."""
        run = self._runs.get(slot)
        if run is None or run.token != token:
            return Answer(now=now, accepted=False)
        if not run.spent:
            self._runs[slot] = replace(
                run, until=now, lease=0, spent=True, freed=run.freed + 1
            )
            self._current[slot].interrupt(now, handed_over=True)
        return Answer(now=now, accepted=True)

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        """End the run and its record (L10); the same end is accepted again (L2)."""
        run = self._runs.get(slot)
        if run is None or not run.held_by(token):
            record = self._record(slot, token)
            accepted = record is not None and record.ended_as(end)
            return Answer(now=now, accepted=accepted)
        del self._runs[slot]
        self._current.pop(slot).end(end, now)
        return Answer(now=now, accepted=True)

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run, once, and trim the manual ones."""
        if self._record(record.slot, token) is None:
            self._add(Attempt.from_record(record, token))
            self._trim(keep, lambda old: old.manual)

    def unfinished(self, now: int) -> list[UnfinishedRun]:
        """Return the unfinished runs, oldest first. Changes nothing."""
        return [
            UnfinishedRun(
                job=self._name,
                slot=run.slot,
                attempt=run.attempt,
                instance_id=run.instance_id,
                left=run.left(now),
            )
            for run in self._runs.values()
        ]

    def history(self, limit: int) -> list[RunRecord]:
        """Return the newest records, newest first. Changes nothing."""
        newest = self._records[-limit:] if limit > 0 else []
        return [record.read(self._name) for record in reversed(newest)]

    def _carry_out(self, decision: Decision, claim: Claim, now: int) -> ClaimReply:
        if decision.taken_over is not None:
            self._current[claim.slot].interrupt(now)
        ended = tuple(self._end_for_good(run, now) for run in decision.over)
        if decision.granted is not None:
            self._grant(decision.granted, claim, now)
        reply = decision.reply
        if ended and isinstance(reply, Won | Done):
            return replace(reply, ended=ended)
        return reply

    def _end_for_good(self, run: Run, now: int) -> RunRecord:
        del self._runs[run.slot]
        record = self._current.pop(run.slot)
        record.interrupt(now)
        return record.read(self._name)

    def _grant(self, run: Run, claim: Claim, now: int) -> None:
        if run.attempt == 1:
            self._newest = run.slot
        self._runs[run.slot] = run
        self._current[run.slot] = record = Attempt.granted(claim, run.attempt, now)
        self._add(record)
        young = now - milliseconds(claim.keep_for)
        self._trim(claim.keep, lambda old: self._is_over(old, before=young))

    def _is_over(self, record: Attempt, before: int) -> bool:
        ended = record.ended
        if ended is None or (record.slot in self._runs and not record.manual):
            return False
        # a clock that was set back may have ended it before its start
        return max(record.started, ended) < before

    def _record(self, slot: int, token: str) -> Attempt | None:
        for record in reversed(self._records):
            if record.slot == slot and record.token == token:
                return record
        return None

    def _last_runner(self, slot: int) -> str | None:
        attempts = [r for r in self._records if r.slot == slot and not r.manual]
        last = max(attempts, key=lambda record: record.attempt, default=None)
        return None if last is None else last.instance_id

    def _add(self, record: Attempt) -> None:
        insort(self._records, record, key=_age)

    def _trim(self, keep: int, may_go: Callable[[Attempt], bool]) -> None:
        """Drop what may go of all that is older than the newest ``keep`` records."""
        surplus = len(self._records) - keep
        if surplus > 0:
            self._records[:surplus] = [
                old for old in self._records[:surplus] if not may_go(old)
            ]
