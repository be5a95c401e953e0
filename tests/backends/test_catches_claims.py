"""The suite catches a lease store whose claim breaks a law in any one way."""

from dataclasses import replace
from functools import partial

import pytest

from anarchon.backends.claim import decide
from anarchon.backends.memory.job import Job
from anarchon.model import Overlap
from anarchon.protocol import (
    Claim,
    ClaimReply,
    Done,
    Overlapping,
    Won,
)
from anarchon.testing.conformance import LeaseConformance
from tests.backends.catching import BackendOf, Cases, run_test

pytestmark = pytest.mark.anyio

CASES = Cases()


@CASES.caught_by(
    "test_copy_of_an_old_claim_wins_no_later_attempt",
    "test_claim_wins_only_the_attempt_it_names",
)
class _AnyAttempt(Job):
    """T1: a claim wins whichever attempt is next."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        run = self._runs.get(claim.slot)
        attempt = claim.attempt if run is None else run.attempt + 1
        return super().claim(replace(claim, attempt=attempt), now)


@CASES.caught_by(
    "test_same_claim_is_not_won_after_the_end",
    "test_old_token_does_not_win_after_a_takeover",
)
class _WonForEver(Job):
    """T3: a token that won is told so whatever has happened since."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        if self._record(claim.slot, claim.token) is not None:
            return Won(now=now, attempt=claim.attempt, left=claim.lease)
        return super().claim(claim, now)


@CASES.caught_by("test_repeated_claim_prolongs_nothing")
class _ProlongingClaim(Job):
    """T3, T4: a repeated claim gets a whole lease again."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        self.heartbeat(claim.slot, claim.token, claim.lease, now)
        return super().claim(claim, now)


@CASES.caught_by("test_blocked_token_wins_once_the_way_is_free")
class _FinalRefusal(Job):
    """T5: a token that was refused once stays refused."""

    __slots__ = ("refused",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.refused: dict[str, ClaimReply] = {}

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        reply = self.refused.get(claim.token) or super().claim(claim, now)
        if isinstance(reply, Overlapping):
            self.refused[claim.token] = reply
        return reply


@CASES.caught_by("test_late_slot_replaces_nothing")
class _ReplacingTooSoon(Job):
    """T7: an older run is ended before it is known whether the newer one is granted."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        for run in list(self._runs.values()):
            if run.slot < claim.slot and run.until <= now:
                self._end_for_good(run, now)
        return super().claim(claim, now)


@CASES.caught_by("test_trimmed_slot_is_not_granted_again")
class _ForgottenSlots(Job):
    """T8: only records tell which slots were granted."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        if self._last_runner(claim.slot) is None:
            self._newest = None
        return super().claim(claim, now)


@CASES.caught_by("test_takeover_leaves_the_record_of_a_hand_over")
class _RewritingTakeover(Job):
    """T9: a takeover ends the record of the attempt before, ended or not."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        record = self._current.get(claim.slot)
        reply = super().claim(claim, now)
        if isinstance(reply, Won) and reply.taken_from and record is not None:
            record.ended, record.handed_over = now, False
        return reply


@CASES.caught_by("test_young_records_are_not_trimmed")
class _YoungRecordsTrimmed(Job):
    """T10: a record goes as soon as newer ones need its place."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, keep_for=0.0), now)


@CASES.caught_by(
    "test_old_records_are_trimmed", "test_records_past_their_time_are_trimmed"
)
class _NothingTrimmed(Job):
    """History grows with every run."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, keep=1_000_000), now)


@CASES.caught_by("test_lease_is_alive_to_its_last_millisecond")
class _BlindTakeover(Job):
    """A takeover doesn't look at the lease."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        run = self._runs.get(claim.slot)
        if run is not None and run.token != claim.token:
            self._runs[claim.slot] = replace(run, until=now)
        return super().claim(claim, now)


@CASES.caught_by("test_lease_that_ends_now_is_taken_over")
class _LingeringLease(Job):
    """A lease is alive still at its last instant."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        run = self._runs.get(claim.slot)
        if run is not None and run.until == now and not run.spent:
            self._runs[claim.slot] = replace(run, until=now + 1)
        return super().claim(claim, now)


@CASES.caught_by("test_run_ends_with_its_last_attempt")
class _EndlessAttempts(Job):
    """A run is taken over without end."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, max_attempts=1_000_000), now)


@CASES.caught_by("test_run_ends_with_its_last_attempt", "test_dead_run_is_replaced")
class _SilentEnds(Job):
    """Nobody is told of runs that end for good."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        reply = super().claim(claim, now)
        return replace(reply, ended=()) if isinstance(reply, Won | Done) else reply


@CASES.caught_by("test_live_run_blocks_a_newer_slot", "test_live_run_blocks_a_takeover")
class _OverlapAllowed(Job):
    """The overlap rule of the claim isn't looked at."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, overlap=Overlap.ALLOW), now)


@CASES.caught_by("test_runs_are_alive_together", "test_dead_run_is_not_replaced")
class _OverlapRefused(Job):
    """No job may overlap."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, overlap=Overlap.SKIP), now)


@CASES.caught_by("test_older_slot_is_superseded", "test_clock_set_back_repeats_nothing")
class _NoOrder(Job):
    """A slot can be granted after a newer one."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        self._newest = None
        return super().claim(claim, now)


@CASES.caught_by("test_slot_ahead_is_early")
class _EarlyGranted(Job):
    """A slot can be granted ahead of its time."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(claim, max(now, claim.slot))


@CASES.caught_by("test_claim_past_the_limit_is_late")
class _LateGranted(Job):
    """A slot can be granted however late."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, limit=1_000_000.0), now)


@CASES.caught_by("test_claim_at_the_limit_wins")
class _LateAtTheLimit(Job):
    """A slot is late at its limit already."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, limit=claim.limit - 0.001), now)


@CASES.caught_by("test_ungranted_slot_has_no_run_to_take_over")
class _HopelessAtTheEdge(Job):
    """A backup is told a millisecond too soon that nobody could start a slot."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(replace(claim, startable=claim.startable - 0.001), now)


@CASES.caught_by(
    "test_lease_past_a_clock_set_back_runs_out",
    "test_blocking_lease_past_a_clock_set_back_runs_out",
)
class _LeasePastTheStep(Job):
    """Leases given before the clock was set back are believed."""

    def claim(self, claim: Claim, now: int) -> ClaimReply:
        decision = decide(claim, now, self._newest, self._runs, self._last_runner)
        return self._carry_out(decision, claim, now)


@pytest.mark.parametrize(("kind", "test"), [*CASES])
async def test_broken_claim_is_caught(kind: type[Job], test: str) -> None:
    """A store whose claim is broken fails the test of the law that it breaks."""
    with pytest.raises(AssertionError):
        await run_test(LeaseConformance, test, partial(BackendOf, kind))


@pytest.mark.parametrize("test", sorted({test for _, test in CASES}))
async def test_sound_store_passes(test: str) -> None:
    """It is the break that these tests notice, not the way they are run here."""
    await run_test(LeaseConformance, test, partial(BackendOf, Job))
