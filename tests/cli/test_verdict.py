"""The demo's verdict: a good show passes, and each kind of broken promise is seen."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from anarchon import Status
from anarchon.cli.demo.plan import REPORT, SYNC
from anarchon.cli.demo.verdict import verdict
from anarchon.cli.report import Kind
from tests.cli.tale import FIRST, SECOND, Tale, a_good_tale

ONCE = "Each slot is run once, one at a time"
SHARED = "Each instance wins slots of sync"
TAKEN_OVER = "A killed runner's run is taken over"
HANDED_OVER = "A stopped runner's run is handed over"
ENDED = "Stopped instances end by themselves"
AGREED = "Instances and history tell the same"


def broken(tale: Tale, *failures: str) -> dict[str, str]:
    """Return the broken promises, each with what was found."""
    promises = verdict(tale.story(), tale.records, *failures)
    return {p.text: "; ".join(p.problems) for p in promises if not p.kept}


def change_reports(
    tale: Tale, kind: Kind, key: tuple[int, int], /, **new: object
) -> None:
    """Change the reports of one kind about one attempt of the long job."""
    for index, report in enumerate(tale.reports):
        if (report.kind, report.slot, report.attempt) == (kind, *key):
            tale.reports[index] = replace(report, **new)  # type: ignore[arg-type]


def change_records(tale: Tale, key: tuple[int, int], **new: object) -> None:
    """Change the record of one attempt of the long job."""
    for index, record in enumerate(tale.records):
        if (record.slot, record.attempt) == key:
            tale.records[index] = replace(record, **new)  # type: ignore[arg-type]


def drop(tale: Tale, slot: int, attempt: int) -> None:
    """Let nobody tell or store anything about one attempt."""
    key = (slot, attempt)
    tale.reports = [r for r in tale.reports if (r.slot, r.attempt) != key]
    tale.records = [r for r in tale.records if (r.slot, r.attempt) != key]


def test_good_show_keeps_every_promise() -> None:
    """What the instances told and what the store has are enough for every promise."""
    tale = a_good_tale()
    promises = verdict(tale.story(), tale.records)
    assert [ONCE, SHARED, TAKEN_OVER, HANDED_OVER, ENDED, AGREED] == [
        promise.text for promise in promises
    ]
    assert {} == broken(tale)
    assert "after 1.80 s, at most 2.40 s" == promises[2].found
    assert "after 0.40 s, at most 0.60 s" == promises[3].found


def _takeover_told_late(tale: Tale) -> None:
    late = tale.story().began + 5.5 + 2.5
    change_reports(tale, Kind.START, (FIRST, 2), at=late)


def _takeover_stored_late(tale: Tale) -> None:
    [record] = [r for r in tale.records if (r.slot, r.attempt) == (FIRST, 2)]
    late = record.started_at + timedelta(seconds=0.7)
    change_records(tale, (FIRST, 2), started_at=late)


def _hand_over_late(tale: Tale) -> None:
    late = tale.story().began + 13.5 + 0.7
    change_reports(tale, Kind.START, (SECOND, 2), at=late)


def _nobody_took_over(tale: Tale) -> None:
    drop(tale, FIRST, 2)


def _nobody_was_handed_anything(tale: Tale) -> None:
    drop(tale, SECOND, 2)


def _runner_itself_went_on(tale: Tale) -> None:
    drop(tale, FIRST, 2)
    tale.run("A", (REPORT, FIRST, 2), 7.95, 10.95)


def _takeover_never_succeeded(tale: Tale) -> None:
    change_reports(tale, Kind.SUCCESS, (FIRST, 2), kind=Kind.FAILURE)
    change_records(tale, (FIRST, 2), status=Status.FAILED)


def _nobody_was_killed(tale: Tale) -> None:
    drop(tale, FIRST, 1)
    drop(tale, FIRST, 2)


def _release_was_not_stored(tale: Tale) -> None:
    change_records(tale, (SECOND, 1), handed_over=False)


def _store_forgot_the_kill(tale: Tale) -> None:
    change_records(tale, (FIRST, 1), status=Status.RUNNING)


def _slot_ran_twice(tale: Tale) -> None:
    tale.run("C", (SYNC, FIRST - 3_000, 1), 1.15, 1.25)


def _slot_succeeded_twice(tale: Tale) -> None:
    tale.run("C", (SYNC, FIRST - 3_000, 2), 3.95, 4.0)


def _runs_overlapped(tale: Tale) -> None:
    tale.run("C", (SYNC, FIRST, 1), 3.65, 3.8)


def _instance_won_nothing(tale: Tale) -> None:
    for slot in (FIRST - 2_000, FIRST - 500):
        drop(tale, slot, 1)


def _stopped_one_failed(tale: Tale) -> None:
    for index, report in enumerate(tale.reports):
        if report.kind is Kind.EXITED and report.instance_id == "B":
            tale.reports[index] = replace(report, exit_status=1)


def _stopped_one_went_on(tale: Tale) -> None:
    tale.reports = [
        report
        for report in tale.reports
        if (report.kind, report.instance_id) != (Kind.EXITED, "C")
    ]


def _store_lost_a_run(tale: Tale) -> None:
    tale.records = [r for r in tale.records if r.slot != FIRST - 500]


def _store_has_another_winner(tale: Tale) -> None:
    change_records(tale, (FIRST - 500, 1), instance_id="B")


def _store_knows_more(tale: Tale) -> None:
    tale.reports = [r for r in tale.reports if r.slot != FIRST - 500]


@pytest.mark.parametrize(
    ("doctor", "promise", "found"),
    [
        (_takeover_told_late, TAKEN_OVER, "2.50 s; promised were 2.40 s"),
        (_takeover_stored_late, TAKEN_OVER, "2.50 s; promised were 2.40 s"),
        (_hand_over_late, HANDED_OVER, "0.70 s; promised were 0.60 s"),
        (_nobody_took_over, TAKEN_OVER, "nobody went on with report"),
        (_nobody_was_handed_anything, HANDED_OVER, "nobody went on with report"),
        (_runner_itself_went_on, TAKEN_OVER, "A itself went on with it"),
        (_takeover_never_succeeded, TAKEN_OVER, "no attempt of report"),
        (_nobody_was_killed, TAKEN_OVER, "no runner left a run"),
        (_release_was_not_stored, HANDED_OVER, "handed_over=False"),
        (_store_forgot_the_kill, TAKEN_OVER, "attempt 1 as running"),
        (_slot_ran_twice, ONCE, "was started 2 times"),
        (_slot_succeeded_twice, ONCE, "has succeeded twice"),
        (_runs_overlapped, ONCE, "was running"),
        (_instance_won_nothing, SHARED, "C has won none"),
        (_stopped_one_failed, ENDED, "B is failed"),
        (_stopped_one_went_on, ENDED, "C is stopping"),
        (_store_lost_a_run, AGREED, "isn't in the history"),
        (_store_has_another_winner, AGREED, "on B"),
        (_store_knows_more, AGREED, "in the history alone"),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_broken_promise_is_seen(
    doctor: Callable[[Tale], None], promise: str, found: str
) -> None:
    """A show that breaks a promise in one way has that promise broken, and says how."""
    tale = a_good_tale()
    doctor(tale)
    assert found in broken(tale)[promise]


def test_show_that_ended_early_is_broken() -> None:
    """A show that didn't come to its end fails, whatever else was seen."""
    assert {ENDED: "the show was cut"} == broken(a_good_tale(), "the show was cut")


def test_empty_show_breaks_every_promise_it_can() -> None:
    """Where nothing was told and nothing stored, no promise but emptiness holds."""
    assert {SHARED, TAKEN_OVER, HANDED_OVER, ENDED} == set(broken(Tale()))


def test_kill_explains_a_record_without_a_word() -> None:
    """A run that was granted just before the kill may be unknown to its instance."""
    tale = a_good_tale()
    tale.run("A", (SYNC, FIRST + 1_000, 1), 5.49, 7.0, Kind.KILLED)
    tale.reports = [r for r in tale.reports if r.slot != FIRST + 1_000]
    assert {} == broken(tale)


def test_kill_explains_a_success_without_a_word() -> None:
    """A run that ended just before the kill may be a success in the store alone."""
    tale = a_good_tale()
    tale.run("A", (SYNC, FIRST + 1_000, 1), 5.3, 5.49)
    tale.reports = [
        report
        for report in tale.reports
        if (report.kind, report.slot) != (Kind.SUCCESS, FIRST + 1_000)
    ]
    assert {} == broken(tale)
