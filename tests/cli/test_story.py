"""The demo's story: what reports add up to."""

import pytest

from anarchon.cli.demo.plan import REPORT, SYNC
from anarchon.cli.demo.story import Phase
from anarchon.cli.report import Kind
from tests.cli.tale import BEGAN, FIRST, SECOND, Tale, a_good_tale

KEY = {"job": REPORT, "slot": FIRST, "attempt": 1}


def a_beginning() -> Tale:
    """Return a tale in which A is ready."""
    tale = Tale()
    tale.tell("A", 0.1, Kind.SPAWNED, pid=101)
    tale.tell("A", 0.6, Kind.READY)
    return tale


def test_lane_follows_its_process() -> None:
    """A lane's phase is that of its newest process, from its start to its end."""
    tale = Tale()
    phases = [tale.story().lanes["A"].phase]
    for kind in (Kind.SPAWNED, Kind.READY, Kind.STOPPED, Kind.EXITED, Kind.SPAWNED):
        tale.tell("A", len(phases), kind)
        phases.append(tale.story().lanes["A"].phase)
    assert [
        Phase.ABSENT,
        Phase.STARTING,
        Phase.READY,
        Phase.STOPPING,
        Phase.STOPPED,
        Phase.STARTING,
    ] == phases


def test_kill_cuts_what_was_running() -> None:
    """An attempt whose runner is killed has ended with the kill."""
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.START, **KEY)
    tale.tell("A", 5.0, Kind.KILLED)
    bar = tale.story().killed(REPORT)
    assert bar is not None
    assert (BEGAN + 5.0, Kind.KILLED) == (bar.ended, bar.end)


def test_word_that_was_sent_before_the_kill_counts() -> None:
    """An end that is read after the kill, but was told before, is the attempt's end."""
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.START, **KEY)
    tale.tell("A", 5.0, Kind.KILLED)
    tale.tell("A", 5.0, Kind.SUCCESS, **KEY)
    story = tale.story()
    assert story.killed(REPORT) is None
    assert {"A": 1, "B": 0, "C": 0} == story.wins(REPORT)


def test_attempt_that_was_released_before_its_start_is_told() -> None:
    """A run that was won after the stop has a bar, though it never started."""
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.INTERRUPTED, handed_over=True, **KEY)
    assert tale.story().handed_over(REPORT) is not None


def test_final_word_about_others_is_no_attempt() -> None:
    """Whoever notices that another's run is over for good has not run it."""
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.INTERRUPTED, final=True, **KEY)
    assert [] == list(tale.story().bars)


@pytest.mark.parametrize(
    ("share", "attempt", "beside", "expected"),
    [
        pytest.param(0.5, 1, False, True, id="half"),
        pytest.param(0.4, 1, False, False, id="less"),
        pytest.param(0.5, 2, False, False, id="later attempt"),
        pytest.param(0.5, 1, True, False, id="another run beside it"),
    ],
)
def test_victim_is_half_done_with_one_first_attempt(
    *, share: float, attempt: int, beside: bool, expected: bool
) -> None:
    """Only a runner that is halfway through a first attempt, and no more, is chosen."""
    key = KEY | {"attempt": attempt}
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.START, **key)
    tale.tell("A", 5.0, Kind.PROGRESS, share=share, **key)
    if beside:
        tale.tell("A", 5.1, Kind.START, job=SYNC, slot=FIRST, attempt=1)
    assert expected is (tale.story().halfway(REPORT) is not None)


def test_notes_tell_the_show() -> None:
    """Each turn of a good show has its sentence, with the times that were measured."""
    notes = [
        f"{note.instance_id} {note.text}"
        for note in a_good_tale().story().notes
        if not note.minor
    ]
    assert [
        "A is ready, process 101",
        "B is ready, process 102",
        "C is ready, process 103",
        "A runs report",
        "A is killed (SIGKILL) with report at 50%",
        "B runs report again, attempt 2, 1.79 s after the kill",
        "A is back, as process 104",
        "B has finished report, attempt 2",
        "B runs report",
        "B is asked to stop (SIGTERM) with report at 0%",
        "B hands report over",
        "B has ended",
        "C runs report again, attempt 2, 0.39 s after the hand-over",
        "C has finished report, attempt 2",
        "A is asked to stop (SIGTERM)",
        "C is asked to stop (SIGTERM)",
        "A has ended",
        "C has ended",
    ] == notes


@pytest.mark.parametrize(
    ("kind", "more", "text"),
    [
        (Kind.ERROR, {"operation": "claim", "error": "gone"}, "has an error in claim"),
        (Kind.FAILURE, KEY, "has failed at report"),
        (Kind.LOST, KEY | {"cause": "silence"}, "has lost report (silence)"),
    ],
)
def test_trouble_is_told_as_an_alarm(
    kind: Kind, more: dict[str, object], text: str
) -> None:
    """What goes wrong has a sentence of its own, to be seen at once."""
    tale = a_beginning()
    tale.tell("A", 4.0, kind, **more)
    note = tale.story().notes[-1]
    assert note.alarm
    assert text in note.text


def test_unexpected_end_is_told() -> None:
    """A process that fails is told with its exit status."""
    tale = a_beginning()
    tale.tell("A", 4.0, Kind.EXITED, exit_status=3)
    story = tale.story()
    assert "has ended with status 3" == story.notes[-1].text
    assert Phase.FAILED is story.lanes["A"].phase


def test_later_attempt_is_found_by_its_run() -> None:
    """The next attempt of a run is found, whoever has it."""
    bar = a_good_tale().story().find(REPORT, SECOND, 2)
    assert bar is not None
    assert "C" == bar.instance_id
