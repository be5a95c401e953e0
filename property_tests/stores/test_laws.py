"""The laws against random programs: requests repeated, delayed, and from the dead."""

from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from anarchon.backends.memory.job import Job
from anarchon.model import End, Overlap, Reason, RunRecord, Status
from anarchon.protocol import Claim, Done, Won

LEASE = 10_000
MINUTE = 60_000
ATTEMPTS = 3
SUCCESS = End(status=Status.SUCCESS, duration=1.0)

# few enough that what belongs together meets
slots = st.integers(-2, 1)
waits = st.sampled_from([1, 500, LEASE - 1, LEASE, MINUTE])
picks = st.integers(0, 1_000_000)


class OneJob(RuleBasedStateMachine):
    """What instances may send about one job without overlap, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.job = Job("job")
        self.now = 1_000 * MINUTE
        self.sent: list[Claim] = []
        self.tokens = (f"t{number}" for number in count())
        self.granted: dict[tuple[int, int], str] = {}
        self.promised: dict[int, int] = {}
        self.spent: set[str] = set()
        self.ended: dict[tuple[int, int], RunRecord] = {}

    @rule(wait=waits)
    def pass_time(self, wait: int) -> None:
        """Let the store's clock go on."""
        self.now += wait

    @rule(minutes=slots)
    def claim_slot(self, minutes: int) -> None:
        """Claim the slot of some minute near now under a new token."""
        slot = (self.now // MINUTE + minutes) * MINUTE
        self._claim(self._new_claim(slot, 1, Reason.SCHEDULED))

    @precondition(lambda self: self.granted)
    @rule(pick=picks, ahead=st.integers(0, 2))
    def take_over(self, pick: int, ahead: int) -> None:
        """Ask as a backup does, for the next attempt, an old or a future one."""
        slot, attempt = self._picked(pick)
        self._claim(self._new_claim(slot, attempt + ahead, Reason.TAKEOVER))

    @precondition(lambda self: self.sent)
    @rule(pick=picks)
    def repeat_claim(self, pick: int) -> None:
        """Deliver a copy of any claim that was ever sent."""
        self._claim(self.sent[pick % len(self.sent)])

    @precondition(lambda self: self.granted)
    @rule(pick=picks)
    def beat(self, pick: int) -> None:
        """Send the heartbeat of any attempt there ever was."""
        slot, attempt = self._picked(pick)
        token = self.granted[slot, attempt]
        if self.job.heartbeat(slot, token, LEASE / 1000, self.now).accepted:
            assert attempt == self._last_attempt(slot)
            self.promised[slot] = self.now + LEASE

    @precondition(lambda self: self.granted)
    @rule(pick=picks)
    def release(self, pick: int) -> None:
        """Send the release of any attempt there ever was."""
        slot, attempt = self._picked(pick)
        token = self.granted[slot, attempt]
        if self.job.release(slot, token, self.now).accepted:
            assert attempt == self._last_attempt(slot)
            if token not in self.spent:
                self.promised[slot] = self.now
            self.spent.add(token)
            assert not self.job.heartbeat(slot, token, 1.0, self.now).accepted

    @precondition(lambda self: self.granted)
    @rule(pick=picks)
    def finish(self, pick: int) -> None:
        """Send the finish of any attempt there ever was."""
        slot, attempt = self._picked(pick)
        token = self.granted[slot, attempt]
        if self.job.finish(slot, token, SUCCESS, self.now).accepted:
            assert attempt == self._last_attempt(slot)
            self.promised.pop(slot, None)
            assert self.job.finish(slot, token, SUCCESS, self.now).accepted

    @invariant()
    def each_attempt_has_one_record(self) -> None:
        """L10: what was granted is recorded once, and nothing else is."""
        records = self.job.history(1_000_000)
        assert len(self.granted) == len(records)
        assert self.granted.keys() == {(r.slot, r.attempt) for r in records}

    @invariant()
    def ended_records_stay(self) -> None:
        """L7, T9: an end that was recorded is never rewritten."""
        records = {(r.slot, r.attempt): r for r in self.job.history(1_000_000)}
        assert self.ended == {key: records[key] for key in self.ended}
        self.ended = {key: r for key, r in records.items() if r.ended_at is not None}

    @invariant()
    def one_run_is_alive(self) -> None:
        """L5: no two runs have a live lease at the same time."""
        alive = [run for run in self.job.unfinished(self.now) if run.left > 0]
        assert len(alive) <= 1

    @invariant()
    def promises_are_kept(self) -> None:
        """L7: an unfinished run's lease ends when its runner was last told."""
        left = {run.slot: run.left for run in self.job.unfinished(self.now)}
        promised = {
            slot: (end - self.now) / 1000 for slot, end in self.promised.items()
        }
        assert promised == left

    def teardown(self) -> None:
        """L9: with its runners gone, every run ends after so many more takeovers."""
        for _ in range(ATTEMPTS + 1):
            for run in self.job.unfinished(self.now):
                self.now += LEASE
                self._claim(self._new_claim(run.slot, run.attempt + 1, Reason.TAKEOVER))
        assert [] == self.job.unfinished(self.now)

    def _picked(self, pick: int) -> tuple[int, int]:
        return list(self.granted)[pick % len(self.granted)]

    def _last_attempt(self, slot: int) -> int:
        return max(attempt for at, attempt in self.granted if at == slot)

    def _attempts_that_count(self, slot: int) -> int:
        tokens = {token for (at, _), token in self.granted.items() if at == slot}
        return len(tokens - self.spent)

    def _new_claim(self, slot: int, attempt: int, mode: Reason) -> Claim:
        claim = Claim(
            job="job",
            slot=slot,
            token=next(self.tokens),
            attempt=attempt,
            instance_id="A",
            mode=mode,
            lease=LEASE / 1000,
            overlap=Overlap.SKIP,
            max_attempts=ATTEMPTS,
            limit=60.0,
            startable=300.0,
            keep=1_000_000,
            keep_for=0.0,
        )
        self.sent.append(claim)
        return claim

    def _claim(self, claim: Claim) -> None:
        newest = max((slot for slot, _ in self.granted), default=0)
        reply = self.job.claim(claim, self.now)
        if isinstance(reply, Won):
            self._won(claim, reply, newest)
        if isinstance(reply, Won | Done):
            for record in reply.ended:
                assert self.promised.pop(record.slot) <= self.now
        if isinstance(reply, Done) and reply.ended:
            assert ATTEMPTS <= self._attempts_that_count(claim.slot)

    def _won(self, claim: Claim, reply: Won, newest: int) -> None:
        run = (claim.slot, claim.attempt)
        assert claim.attempt == reply.attempt
        assert claim.token == self.granted.setdefault(run, claim.token)
        if reply.left == (self.promised.get(claim.slot, 0) - self.now) / 1000:
            return  # asked again, and nothing has changed
        assert LEASE / 1000 == reply.left
        if claim.attempt == 1:
            assert newest < claim.slot <= self.now <= claim.slot + MINUTE
        else:
            assert self.promised[claim.slot] <= self.now
        self.promised[claim.slot] = self.now + LEASE


TestOneJob = OneJob.TestCase
TestOneJob.settings = settings(max_examples=200, stateful_step_count=40)
