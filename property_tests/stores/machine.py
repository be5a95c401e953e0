"""Random programs for any store: time, claims, finishes, manual runs, in any order.

Decides what may be asked of every store. Must not know what the right answer is: that
is for the model, and reply and history must be what it says.
"""

from collections.abc import Iterable
from typing import ClassVar, Generic, Protocol, TypeVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from anarchon.model import End, Reason, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Won
from anarchon.testing.conformance.clock import SLOT
from property_tests import tally
from property_tests.stores.calling import OpenStore
from property_tests.stores.draws import (
    STEP,
    Asked,
    Options,
    claimers,
    ends,
    jobs,
    keeps,
    modes,
    moves,
    options,
    picks,
)
from property_tests.stores.stored import Either, at

JOBS = "ab"
MANY, FEW = 1_000, 2


class JobModel(Protocol):
    """What the model of one job can be asked, whatever the kind of store."""

    def claim(self, claim: Claim, now: int) -> ClaimReply | Either:
        """Answer a claim."""
        ...

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer | Either:
        """End a run."""
        ...

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the record of a manual run."""
        ...

    def history(self) -> list[RunRecord]:
        """Return all records that may be there, newest first."""
        ...

    def kept(self) -> list[RunRecord]:
        """Return those of them that must be there."""
        ...


Model = TypeVar("Model", bound=JobModel)


class StoreMachine(RuleBasedStateMachine, Generic[Model]):
    """What instances may ask of any store about two jobs.

    A claimer has one token for each attempt that it wants, as instances do. Everything
    that was ever claimed may be claimed again, or acted on by its token. A history that
    takes long to read is read at the end alone.
    """

    reads_each_step: ClassVar[bool] = True

    def __init__(self, opened: OpenStore, title: str) -> None:
        super().__init__()
        self.title = title
        self.steps = -1
        self.opened = opened
        self.store = opened.store
        self.clock = opened.clock
        self.clock.ms = SLOT
        self.names = opened.new_jobs(JOBS)
        self.sent: list[Claim] = []
        self.won: list[Claim] = []
        self.ended: list[tuple[Claim, End]] = []
        self.manual: list[RunRecord] = []
        self.starts: set[int] = set()
        self.manual_starts: set[int] = set()
        self.models = {name: self.new_model(name) for name in self.names}
        self.broken = False

    def new_model(self, name: str) -> Model:
        """Return the model of a job that nothing was asked about."""
        raise NotImplementedError

    @rule(by=moves)
    def clock_moves(self, by: int) -> None:
        """Let the store's clock go on, or set it back."""
        self.clock.ms += by

    @rule(job=jobs, who=claimers, steps=st.integers(1, 4), options=options)
    def next_slot_is_due(
        self, job: int, who: str, steps: int, options: Options
    ) -> None:
        """Let time go on to a slot, and claim it at its very millisecond."""
        self.clock.ms = (self.clock.ms // STEP + steps) * STEP
        asked = Asked(self.names[job], self.clock.ms, 1, Reason.SCHEDULED)
        self.claim(self.new_claim(asked, who, options))

    @rule(job=jobs, who=claimers, ahead=st.integers(-2, 1), mode=modes, options=options)
    def claim_slot(
        self, job: int, who: str, ahead: int, mode: Reason, options: Options
    ) -> None:
        """Claim a slot near now, a new one or an old one."""
        slot = (self.clock.ms // STEP + ahead) * STEP
        asked = Asked(self.names[job], slot, 1, mode)
        self.claim(self.new_claim(asked, who, options))

    @rule(
        job=jobs, who=claimers, ahead=st.integers(-2, -1), mode=modes, options=options
    )
    def claim_missed_slot(
        self, job: int, who: str, ahead: int, mode: Reason, options: Options
    ) -> None:
        """Claim an old slot after a while in which there was nobody to do so."""
        self.clock.ms += 3 * STEP
        self.claim_slot(job, who, ahead, mode, options)

    @precondition(lambda self: self.sent)
    @rule(pick=picks)
    def repeat_claim(self, pick: int) -> None:
        """Deliver a copy of a claim that was sent before."""
        self.claim(self.picked(pick))

    @precondition(lambda self: self.sent)
    @rule(pick=picks, end=ends)
    def finish(self, pick: int, end: End) -> None:
        """Finish under a token that was ever made, granted or not."""
        self.tell_end(self.picked(pick), end)

    @precondition(lambda self: self.ended)
    @rule(pick=picks)
    def repeat_finish(self, pick: int) -> None:
        """Deliver a copy of a finish that was sent before."""
        self.tell_end(*self.ended[-1 - pick % len(self.ended)])

    def tell_end(self, old: Claim, end: End) -> None:
        """Finish under the token of a claim, and compare the answer."""
        self.ended.append((old, end))
        self.expect(
            f"finish of {self.of(old)} as {end.status}, {end.duration}, {end.error}",
            self.models[old.job].finish(old.slot, old.token, end, self.clock.ms),
            self.opened.call(self.store.finish, old.job, old.slot, old.token, end),
        )

    @rule(job=jobs, ahead=st.integers(-1, 1), end=ends, keep=keeps)
    def record_manual_run(self, job: int, ahead: int, end: End, keep: int) -> None:
        """Add the record of a manual run."""
        self.manual.append(self.manual_record(job, ahead, end))
        self.repeat_manual_record(0, keep)

    @precondition(lambda self: self.manual)
    @rule(pick=picks, keep=keeps)
    def repeat_manual_record(self, pick: int, keep: int) -> None:
        """Deliver the record of a manual run, perhaps once more."""
        record = self.manual[-1 - pick % len(self.manual)]
        token = f"manual {record.started_at}"
        note(f"{self.now()} {token} of {record.job}: {record.status}, keep {keep}")
        self.models[record.job].record(record, token, keep)
        self.opened.call(self.store.record, record, token, keep)

    @invariant()
    def step_is_counted(self) -> None:
        """Count the steps; invariants are looked at before the first one as well."""
        self.steps += 1

    @invariant()
    def history_is_as_the_laws_say(self) -> None:
        """Every record of every job, and their order, after each step."""
        if self.reads_each_step:
            self.compare_history()

    def teardown(self) -> None:
        """End the program; a wrong answer ends it at once, as its last word."""
        tally.add(self.title, examples=1, steps=self.steps)
        if not self.broken:
            self.look_back()

    def look_back(self) -> None:
        """Compare what is there at the end, read as a whole and in part."""
        self.compare_history()
        whole = self.opened.histories(self.names, MANY)
        in_part = self.opened.histories(self.names, FEW)
        self.same([history[:FEW] for history in whole], in_part)

    def compare_history(self) -> None:
        """Compare every record of every job, and their order."""
        histories = self.opened.histories(self.names, MANY)
        for model, history in zip(self.models.values(), histories, strict=True):
            ages = [(record.started_at, record.attempt) for record in history]
            self.same(sorted(ages, reverse=True), ages)
            kept = model.kept()
            expected = [r for r in model.history() if r in kept or r in history]
            self.same(in_one_order(expected), in_one_order(history))

    def claim(self, claim: Claim) -> None:
        """Send a claim and compare the reply."""
        claim = self.adapted(claim)
        self.sent.append(claim)
        while self.clock.ms in self.manual_starts:
            # of two records that began together, any store may take either for older
            self.clock.ms += 1
        self.starts.add(self.clock.ms)
        reply = self.told(self.opened.call(self.store.claim, claim))
        if isinstance(reply, Won):
            self.won.append(claim)
        self.expect(
            f"claim of {self.of(claim)}, {claim.mode}, {claim.overlap}, "
            f"lease {claim.lease}, max_attempts {claim.max_attempts}, "
            f"limit {claim.limit}, keep {claim.keep} for {claim.keep_for}",
            self.models[claim.job].claim(claim, self.clock.ms),
            reply,
        )

    def adapted(self, claim: Claim) -> Claim:
        """Return the claim as this kind of store may be asked."""
        return claim

    def told(self, reply: ClaimReply) -> ClaimReply:
        """Return what of a reply the laws speak about."""
        return reply

    def expect(self, request: str, expected: object, actual: object) -> None:
        """Tell the story, and compare the reply."""
        note(f"{self.now()} {request}\n    -> {actual}")
        self.same(expected, actual)

    def same(self, expected: object, actual: object) -> None:
        """Hold what the store said against what the laws say."""
        self.broken = expected != actual
        assert not self.broken, f"\n  by the laws {expected}\n  but it says {actual}"

    def new_claim(self, asked: Asked, who: str, options: Options) -> Claim:
        """Return a claim under the token that the claimer has for this attempt."""
        job, slot, attempt, mode = asked
        return Claim(
            job=job,
            slot=slot,
            token=f"{who.lower()}{attempt}@{slot}",
            attempt=attempt,
            instance_id=who,
            mode=mode,
            lease=options.lease,
            overlap=options.overlap,
            max_attempts=options.max_attempts,
            limit=options.limit,
            startable=options.startable,
            keep=options.keep,
            keep_for=options.keep_for,
        )

    def manual_record(self, job: int, ahead: int, end: End) -> RunRecord:
        """Return a record whose start no other record has, so that their order is one.

        Its slot may be that of a run, which mustn't be mistaken for it.
        """
        start = self.clock.ms // 1000 * 1000 + 500
        while start in self.starts | self.manual_starts:
            start += 1
        self.manual_starts.add(start)
        return RunRecord(
            job=self.names[job],
            slot=(self.clock.ms // STEP + ahead) * STEP,
            attempt=1,
            status=end.status,
            reason=Reason.MANUAL,
            manual=True,
            instance_id="M",
            started_at=at(start),
            ended_at=at(start + 1),
            duration=end.duration,
            error=end.error,
        )

    def picked(self, pick: int) -> Claim:
        """Return a claim that was sent, won or is held; a low pick a recent one."""
        claims = (self.held() or self.won, self.won, self.sent)[pick % 3] or self.sent
        return claims[-1 - pick // 3 % len(claims)]

    def held(self) -> list[Claim]:
        """Return the claims by which somebody holds a run."""
        return self.won

    def of(self, claim: Claim) -> str:
        """Name an attempt: job, slot in seconds since the start, attempt, token."""
        slot = (claim.slot - SLOT) / 1000
        return f"{claim.job} slot {slot:+.0f} attempt {claim.attempt} ({claim.token})"

    def now(self) -> str:
        """Tell the store's time, in seconds since the start."""
        return f"{(self.clock.ms - SLOT) / 1000:+.3f}"


def in_one_order(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return records by slot and attempt, since those that began together may swap."""
    return sorted(records, key=lambda r: (r.manual, r.slot, r.attempt, r.started_at))
