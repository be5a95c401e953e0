"""The suite catches a lease store with one broken step other than the claim."""

from dataclasses import replace
from functools import partial

import pytest

from anarchon.backends.memory.job import Job
from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    UnfinishedRun,
)
from anarchon.testing.conformance import LeaseConformance
from tests.backends.catching import BackendOf, Cases, run_test

pytestmark = pytest.mark.anyio

CASES = Cases()


@CASES.caught_by(
    "test_heartbeat_after_a_release_is_refused",
    "test_finish_after_a_release_is_refused",
    "test_copy_of_the_claim_after_a_release_is_refused",
)
class _UnspentToken(Job):
    """T2: a release leaves its token in force."""

    def release(self, slot: int, token: str, now: int) -> Answer:
        answer = super().release(slot, token, now)
        if answer.accepted:
            self._runs[slot] = replace(self._runs[slot], spent=False)
        return answer


@CASES.caught_by("test_released_run_stays_so_when_the_clock_is_set_back")
class _LingeringLength(Job):
    """A released lease keeps the length that it had."""

    def release(self, slot: int, token: str, now: int) -> Answer:
        lease = self._runs[slot].lease
        answer = super().release(slot, token, now)
        self._runs[slot] = replace(self._runs[slot], lease=lease)
        return answer


@CASES.caught_by("test_hand_overs_do_not_count")
class _CountedHandOver(Job):
    """A release counts as an attempt."""

    def release(self, slot: int, token: str, now: int) -> Answer:
        answer = super().release(slot, token, now)
        if answer.accepted:
            self._runs[slot] = replace(self._runs[slot], freed=0)
        return answer


@CASES.caught_by("test_repeated_release_frees_one_attempt")
class _DoublyFreed(Job):
    """Each copy of a release frees one more attempt."""

    def release(self, slot: int, token: str, now: int) -> Answer:
        answer = super().release(slot, token, now)
        if answer.accepted:
            run = self._runs[slot]
            self._runs[slot] = replace(run, freed=run.freed + 1)
        return answer


@CASES.caught_by(
    "test_finish_by_another_token_is_refused",
    "test_old_token_is_refused_after_a_takeover",
)
class _UnfencedFinish(Job):
    """Anybody can finish a run."""

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        run = self._runs.get(slot)
        return super().finish(slot, token if run is None else run.token, end, now)


@CASES.caught_by(
    "test_foreign_token_is_refused", "test_old_token_is_refused_after_a_takeover"
)
class _UnfencedHeartbeat(Job):
    """Anybody can push a lease."""

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        run = self._runs.get(slot)
        return super().heartbeat(slot, token if run is None else run.token, lease, now)


@CASES.caught_by("test_foreign_token_is_refused")
class _UnfencedRelease(Job):
    """Anybody can hand a run over."""

    def release(self, slot: int, token: str, now: int) -> Answer:
        run = self._runs.get(slot)
        return super().release(slot, token if run is None else run.token, now)


@CASES.caught_by("test_late_heartbeat_revives_what_nobody_took")
class _DeafHeartbeat(Job):
    """A heartbeat is refused once the lease has run out."""

    def heartbeat(self, slot: int, token: str, lease: float, now: int) -> Answer:
        run = self._runs.get(slot)
        if run is not None and run.until <= now:
            return Answer(now=now, accepted=False)
        return super().heartbeat(slot, token, lease, now)


@CASES.caught_by("test_same_finish_is_accepted_again")
class _RefusedRepeats(Job):
    """A finish that comes again finds its run gone and is refused."""

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        if slot not in self._runs:
            return Answer(now=now, accepted=False)
        return super().finish(slot, token, end, now)


@CASES.caught_by("test_other_end_is_refused")
class _AnyEndAgain(Job):
    """A finish that comes again is accepted with any end."""

    def finish(self, slot: int, token: str, end: End, now: int) -> Answer:
        answer = super().finish(slot, token, end, now)
        known = self._record(slot, token) is not None
        return replace(answer, accepted=answer.accepted or known)


@CASES.caught_by("test_dead_runs_are_read", "test_released_runs_are_read")
class _DeadRunsUnread(Job):
    """T6: a run whose lease ran out isn't read as unfinished."""

    def unfinished(self, now: int) -> list[UnfinishedRun]:
        return [run for run in super().unfinished(now) if run.left > 0]


@CASES.caught_by("test_history_is_sorted_by_start")
class _UnsortedHistory(Job):
    """History is read by slot."""

    def history(self, limit: int) -> list[RunRecord]:
        records = super().history(limit)
        return sorted(records, key=lambda record: record.slot, reverse=True)


@CASES.caught_by("test_attempts_of_one_instant_are_read_newest_first")
class _TiedHistory(Job):
    """Attempts that started together are read in the order in which they were made."""

    def history(self, limit: int) -> list[RunRecord]:
        records = sorted(super().history(limit), key=lambda record: record.attempt)
        return sorted(records, key=lambda record: record.started_at, reverse=True)


@CASES.caught_by("test_limit_takes_the_newest")
class _OldestHistory(Job):
    """Of more records than asked for, the oldest are read."""

    def history(self, limit: int) -> list[RunRecord]:
        records = super().history(1_000_000)
        return records[len(records) - limit :]


@CASES.caught_by("test_manual_record_moves_no_newest_slot")
class _ManualSlots(Job):
    """A manual run takes the slot that it started at."""

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        super().record(record, token, keep)
        self._newest = max(self._newest or 0, record.slot)


@CASES.caught_by("test_manual_record_is_added_once")
class _ManualTwice(Job):
    """Each copy of a manual record is added."""

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        super().record(record, f"{token}{len(self._records)}", keep)


@CASES.caught_by("test_manual_records_are_trimmed")
class _ManualUntrimmed(Job):
    """Manual records are kept for ever."""

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        super().record(record, token, keep + 1_000_000)


@CASES.caught_by("test_manual_records_push_out_no_young_ones")
class _ManualTrimsAll(Job):
    """A manual record pushes out whatever is older than the newest few."""

    def record(self, record: RunRecord, token: str, keep: int) -> None:
        super().record(record, token, keep)
        self._trim(keep, lambda _: True)


@pytest.mark.parametrize(("kind", "test"), [*CASES])
async def test_broken_step_is_caught(kind: type[Job], test: str) -> None:
    """A store with a broken step fails the test of the law that it breaks."""
    with pytest.raises(AssertionError):
        await run_test(LeaseConformance, test, partial(BackendOf, kind))


@pytest.mark.parametrize("test", sorted({test for _, test in CASES}))
async def test_sound_store_passes(test: str) -> None:
    """It is the break that these tests notice, not the way they are run here."""
    await run_test(LeaseConformance, test, partial(BackendOf, Job))
