"""The model of a lease store, under the laws once more: as what no step may break.

Decides what must be so before and after each step, and between steps, whatever the
right answer is. Must not look into how the model comes to its answers.
"""

from dataclasses import dataclass

from anarchon.model import End, Overlap, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    Done,
    Overlapping,
    Running,
    Won,
)
from property_tests.stores.lease_model import Job
from property_tests.stores.stored import Either, Run, ms


@dataclass(frozen=True, slots=True)
class Before:
    """What was there before a step: attempts, lives and the newest slot."""

    attempts: dict[int, tuple[int, str]]
    alive: set[int]
    newest: int


class CheckedJob(Job):
    """The same job, which ends a program where it breaks a law.

    ``granted`` has the token of each attempt that was ever granted, ``promised`` when
    the lease of each unfinished run ends, as its runner was last told.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.granted: dict[tuple[int, int], str] = {}
        self.promised: dict[int, int] = {}
        self.spent: set[str] = set()
        self.ends: dict[str, RunRecord] = {}
        self.latest = 0
        self.was_set_back = False

    def claim(self, claim: Claim, now: int) -> ClaimReply | Either:
        """Check what a claim may be answered, given what was there."""
        before = self._before(now)
        reply = super().claim(claim, now)
        if isinstance(reply, Won):
            self._check_won(claim, reply, before, now)
        elif isinstance(reply, Done) and reply.ended:
            self._check_used_up(claim, before)
        else:
            assert before == self._before(now)
            self._check_refused(claim, reply, before)
        assert all(run.until <= now + run.lease for run in self.runs.values())  # L9
        self._check_state(now)
        return reply

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        """L7: who holds the run is heard, and nobody else."""
        holds = self._holds(slot, token)
        answer = super().heartbeat(slot, token, lease, now)
        assert holds == answer.accepted
        if holds:
            self.promised[slot] = now + ms(lease)
        self._check_state(now)
        return answer

    def release(self, slot: int, token: str, now: int) -> Answer:
        """L8: the token is spent, and the lease over, at once and for good."""
        holds = self._holds(slot, token)
        again = slot in self.runs and token == self._last_token(slot)
        answer = super().release(slot, token, now)
        assert (holds or again) == answer.accepted
        if holds:
            self.promised[slot] = now
            self.spent.add(token)
        self._check_state(now)
        return answer

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer | Either:
        """L7: who holds the run ends it, once."""
        holds = self._holds(slot, token)
        answer = super().finish(slot, token, end, now)
        if holds:
            assert Answer(now=now, accepted=True) == answer
            assert slot not in self.runs
        self._check_state(now)
        return answer

    def _check_won(self, claim: Claim, reply: Won, before: Before, now: int) -> None:
        slot, run = claim.slot, (claim.attempt, claim.token)
        assert claim.attempt == reply.attempt
        assert claim.token not in self.spent  # L8
        if run == before.attempts.get(slot):  # L2
            assert before == self._before(now)
            return
        assert (slot, claim.attempt) not in self.granted  # L1
        assert slot not in before.alive
        if claim.overlap is Overlap.SKIP:
            assert not before.alive  # L5
        if claim.attempt == 1:
            assert before.newest < slot <= now <= slot + ms(claim.limit)  # L3, L4
        else:
            assert claim.attempt - 1 == before.attempts[slot][0]  # L6
            assert self._attempts_that_count(slot) < claim.max_attempts  # L8
        self.granted[slot, claim.attempt] = claim.token
        self.promised[slot] = now + ms(claim.lease)

    def _check_refused(
        self, claim: Claim, reply: ClaimReply | Either, before: Before
    ) -> None:
        """L5, L6: what is dead at its lease's end is in nobody's way."""
        if isinstance(reply, Running) and claim.slot not in before.alive:
            assert claim.attempt - 1 != before.attempts[claim.slot][0]
        if isinstance(reply, Overlapping):
            assert reply.slot in before.alive - {claim.slot}

    def _check_used_up(self, claim: Claim, before: Before) -> None:  # L9
        assert claim.slot not in before.alive
        assert claim.slot not in self.runs
        assert claim.max_attempts <= self._attempts_that_count(claim.slot)

    def _check_state(self, now: int) -> None:
        """Check what holds between any two steps."""
        self.was_set_back |= now < self.latest
        self.latest = max(self.latest, now)
        for run in self.runs.values():
            self._check_run(run)
        records = {e.token: e.record for e in self.entries if not e.record.manual}
        attempts = [(record.slot, record.attempt) for record in records.values()]
        assert len(set(attempts)) == len(attempts)  # L10
        for token, record in records.items():
            assert token == self.granted[record.slot, record.attempt]
            assert record == self.ends.get(token, record)  # L7, T9
            if record.ended_at is not None:
                self.ends[token] = record

    def _check_run(self, run: Run) -> None:
        """L10: its attempt is on record. L7: its lease is as its runner was told."""
        assert (
            self.granted[run.slot, run.attempt]
            == run.token
            == self._last_token(run.slot)
        )
        recorded = [e for e in self.entries if e.token == run.token]
        assert [run.spent] == [e.record.handed_over for e in recorded]
        if self.was_set_back:
            assert run.until <= self.promised[run.slot]
        else:
            assert run.until == self.promised[run.slot]

    def _before(self, now: int) -> Before:
        runs = self.runs.values()
        return Before(
            attempts={run.slot: (run.attempt, run.token) for run in runs},
            alive={run.slot for run in runs if run.left(now) > 0},
            newest=self.newest or 0,
        )

    def _holds(self, slot: int, token: str) -> bool:
        if slot not in self.runs or token in self.spent:
            return False
        return token == self._last_token(slot)

    def _last_token(self, slot: int) -> str:
        return self.granted[max(key for key in self.granted if key[0] == slot)]

    def _attempts_that_count(self, slot: int) -> int:
        tokens = {token for (at, _), token in self.granted.items() if at == slot}
        return len(tokens - self.spent)
