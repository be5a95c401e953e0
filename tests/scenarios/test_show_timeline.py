"""How reports add up to lanes: lives, bars, frozen stretches and marks."""

from dataclasses import replace

import pytest

from tests.processes.report import Report
from tests.scenarios.show.marks import Kind
from tests.scenarios.show.timeline import Bar, End, Lane, Timeline, timeline_of
from tests.scenarios.tales import (
    BEGAN,
    begun,
    claim,
    killed_and_taken_over,
    report,
    run_report,
)

# what is shown begins half a second before the first claim
ZERO = 0.5


def lane_of(reports: list[Report], who: str) -> Lane:
    """Return the lane of an instance, or of the store."""
    lanes = timeline_of(reports).lanes
    return next(lane for lane in lanes if lane.name == who)


def only_bar(*reports: Report) -> Bar:
    """Return the bar of a run on A that was won at 1 s."""
    start = run_report(1.0, "A", "start")
    [bar] = lane_of([*begun(), start, *reports], "A").bars
    return bar


def marks(*reports: Report, who: str = "A") -> list[tuple[Kind, str]]:
    """Return the marks of an instance that reported this."""
    lane = lane_of([*begun(), *reports], who)
    return [(mark.kind, mark.text) for mark in lane.marks]


def test_killed_run_and_its_takeover_are_two_bars() -> None:
    """A's bar ends at the kill, B's is attempt 2 and ends in success."""
    reports = killed_and_taken_over()
    [first], [second] = lane_of(reports, "A").bars, lane_of(reports, "B").bars
    assert ("sync", 1, End.KILLED) == (first.run, first.attempt, first.how)
    assert ("sync", 2, End.SUCCESS) == (second.run, second.attempt, second.how)
    found = [first.begin, first.end, second.begin, second.end]
    assert [0.52, 1.5, 3.52, 4.5] == pytest.approx(found)


def test_killed_instance_lives_no_more() -> None:
    """A life goes from the start of a process to its kill, B's goes on."""
    reports = killed_and_taken_over()
    [dead], [alive] = lane_of(reports, "A").lives, lane_of(reports, "B").lives
    assert (True, 2.0 - ZERO) == (dead.killed, dead.end)
    assert (False, None) == (alive.killed, alive.end)
    assert -ZERO == alive.ready


def test_time_is_the_machines_and_not_the_wall_clocks() -> None:
    """Wall clocks of instances change nothing, and reports may come in any order."""
    reports = killed_and_taken_over()
    wrong = [replace(one, at=one.at + one.pid * 300) for one in reversed(reports)]
    assert timeline_of(reports) == timeline_of(wrong)


def test_time_begins_with_the_first_that_is_ready_if_little_happens_before() -> None:
    """No time before instances are ready is shown, and little before a claim."""
    soon = timeline_of([*begun(), *claim(0.2, "A", "won")])
    late = timeline_of([*begun(), *claim(9.0, "A", "won")])
    assert (0.21, 0.51) == pytest.approx((soon.end, late.end))


def test_time_goes_on_while_nothing_is_reported() -> None:
    """A timeline that goes on ends now, one that is over with its last report."""
    reports = killed_and_taken_over()
    assert 5.0 - ZERO == timeline_of(reports).end
    assert 8.0 - ZERO == timeline_of(reports, now=BEGAN + 8.0).end


def test_nothing_reported_yet_is_three_empty_lanes() -> None:
    """Instances have their lanes before they are there."""
    empty = tuple(Lane(name=name) for name in "ABC")
    assert Timeline(lanes=empty, end=0.0) == timeline_of([], now=BEGAN)


def test_second_process_of_an_instance_is_a_second_life() -> None:
    """One that is started again has two lives, and the first run isn't the second's."""
    again = [
        report(at, "A", what, pid=9) for at, what in ((3.0, "loaded"), (4.0, "ready"))
    ]
    lane = lane_of([*killed_and_taken_over(), *again], "A")
    ends = [(life.killed, life.end) for life in lane.lives]
    assert [(True, 2.0 - ZERO), (False, None)] == ends
    assert 1 == len(lane.bars)


def test_process_that_said_nothing_has_ended_when_another_begins() -> None:
    """A life is over at the latest when the next one of its instance begins."""
    lane = lane_of([*begun(), report(3.0, "A", "loaded", pid=9)], "A")
    assert [lane.lives[1].begin, None] == [life.end for life in lane.lives]


@pytest.mark.parametrize("end", ["success", "failure", "interrupted"])
def test_bar_ends_as_its_instance_tells(end: str) -> None:
    """Each end that an instance tells of an attempt ends its bar."""
    bar = only_bar(run_report(3.0, "A", end))
    assert (End(end), 3.0 - ZERO) == (bar.how, bar.end)


def test_bar_that_is_lost_goes_on_until_its_handler_ends() -> None:
    """An attempt that was lost is still at work; from when it was lost is kept."""
    bar = only_bar(
        run_report(2.0, "A", "lost", cause="refused"),
        run_report(3.0, "A", "interrupted"),
    )
    found = (bar.how, bar.lost, bar.end)
    assert (End.INTERRUPTED, 2.0 - ZERO, 3.0 - ZERO) == found


def test_bar_of_a_process_that_left_ends_with_it() -> None:
    """An attempt of which no end was told goes on no longer than its process."""
    bar = only_bar(report(3.0, "A", "ended"))
    assert (End.LEFT, 3.0 - ZERO) == (bar.how, bar.end)


def test_bar_goes_on_while_no_end_is_told() -> None:
    """The end of another attempt, or of another instance's, ends no bar."""
    bar = only_bar(
        run_report(2.0, "A", "success", slot=9_000),
        run_report(2.0, "B", "success"),
    )
    assert (End.OPEN, None) == (bar.how, bar.end)


def test_frozen_stretch_ends_with_the_thaw_or_the_life() -> None:
    """A process stands still until it is thawed, or killed; or for ever."""
    told = [*begun(), report(1.0, "A", "frozen"), report(2.0, "B", "frozen")]
    told += [report(3.0, "A", "thawed"), report(4.0, "B", "killed")]
    told += [report(5.0, "C", "frozen")]
    ends = [span.end for who in "ABC" for span in lane_of(told, who).frozen]
    assert [2.5, 3.5, None] == ends


def test_store_has_a_lane_if_something_was_done_to_it() -> None:
    """What nobody did is done to the store, and noted below the instances."""
    told = [*begun(), report(1.0, "", "store down")]
    assert ["A", "B", "C", ""] == [lane.name for lane in timeline_of(told).lanes]
    [mark] = lane_of(told, "").marks
    assert (Kind.NOTE, "store down") == (mark.kind, mark.text)


def test_deed_that_has_no_process_is_no_life() -> None:
    """What was noted of an instance by others is a mark on its lane."""
    told = [*begun(), report(1.0, "A", "cut off", pid=0)]
    lane = lane_of(told, "A")
    assert (1, ["cut off"]) == (len(lane.lives), [mark.text for mark in lane.marks])


def test_slots_are_numbered_where_a_job_has_several() -> None:
    """Runs of one job are told apart by the order of their slots."""
    starts = [run_report(at, "A", "start", slot=slot) for at, slot in ((1, 8), (2, 9))]
    starts.append(run_report(3.0, "A", "start", job="other"))
    bars = lane_of([*begun(), *starts], "A").bars
    assert ["sync #1", "sync #2", "other"] == [bar.run for bar in bars]


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        ("won", Kind.WON, "claim of sync, attempt 1: won"),
        ("running", Kind.CLAIM, "claim of sync: running"),
        ("overlapping", Kind.CLAIM, "claim of sync: overlap"),
        ("late", Kind.CLAIM, "claim of sync: late"),
        ("early", Kind.CLAIM, "claim of sync: early"),
        ("superseded", Kind.CLAIM, "claim of sync: superseded"),
    ],
)
def test_claim_is_marked_by_its_answer(answer: str, kind: Kind, text: str) -> None:
    """Each answer to a claim is a mark, and a won one is of a kind of its own."""
    assert [(kind, text)] == marks(*claim(1.0, "A", answer))


def test_backups_check_is_told_from_a_claim() -> None:
    """What a backup asks is a mark of another kind, unless it takes the run over."""
    check = claim(1.0, "A", "running", reason="takeover")
    taken = claim(2.0, "A", "won", reason="takeover", attempt=2)
    assert [Kind.CHECK, Kind.WON] == [kind for kind, _ in marks(*check, *taken)]


def test_claim_without_an_answer_is_marked_when_it_was_asked() -> None:
    """A claim that failed or that a stop has overtaken isn't forgotten."""
    asked, answered = claim(3.0, "A", "won")
    lost, _ = claim(1.0, "A", "won")
    found = marks(lost, asked, answered)
    assert [Kind.UNANSWERED, Kind.WON] == [kind for kind, _ in found]
    assert "claim of sync, attempt 1: no answer" == found[0][1]


@pytest.mark.parametrize("operation", ["heartbeat", "finish", "release"])
def test_refusal_is_marked(operation: str) -> None:
    """Every call that the store refuses is a mark that says which call it was."""
    told = run_report(1.0, "A", "answered", operation=operation, reason="refused")
    assert [(Kind.REFUSED, f"{operation} of sync: refused")] == marks(told)


@pytest.mark.parametrize(
    ("told", "kind", "text"),
    [
        (
            {"what": "skip", "reason": "taken", "by": "B"},
            Kind.SKIP,
            "skips sync: taken by B",
        ),
        ({"what": "skip", "reason": "overlap"}, Kind.SKIP, "skips sync: overlap"),
        (
            {"what": "lost", "cause": "silence"},
            Kind.LOST,
            "has lost sync, attempt 1: silence",
        ),
        (
            {"what": "interrupted", "handed_over": True},
            Kind.HANDED_OVER,
            "hands over sync, attempt 1",
        ),
        (
            {"what": "interrupted", "final": True},
            Kind.INTERRUPTED,
            "interrupted: sync, attempt 1, for good",
        ),
        (
            {"what": "takeover", "from_instance": "B", "waited": 0.25},
            Kind.TAKEOVER,
            "takes sync over from B, 0.25 s after the lease's end",
        ),
        (
            {"what": "error", "operation": "claim", "error": "gone"},
            Kind.ERROR,
            "claim failed: gone",
        ),
        (
            {"what": "clock_skew", "offset": 180.0},
            Kind.SKEW,
            "its clock is off by 180.0 s",
        ),
        ({"what": "stopped"}, Kind.STOPPED, "asked to stop"),
        ({"what": "interrupted by Ctrl+C"}, Kind.STOPPED, "interrupted by Ctrl+C"),
        ({"what": "killed"}, Kind.KILLED, "killed"),
    ],
)
def test_event_or_deed_is_marked(told: dict[str, str], kind: Kind, text: str) -> None:
    """Everything that a reader would ask for is a mark with words of its own."""
    assert [(kind, text)] == marks(run_report(1.0, "A", **told))
