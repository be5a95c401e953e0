"""What is worth a line of text, in words.

Decides the sentences. Must not know how or where they are printed. The instance is the
subject of each sentence. ASCII only, for every terminal and file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anarchon.cli.demo.plan import REPORT
from anarchon.cli.report import Kind, Report

if TYPE_CHECKING:
    from anarchon.cli.demo.story import Story


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A sentence about an instance, or a ``heading``; ``minor`` ones come in crowds."""

    at: float
    text: str
    instance_id: str = ""
    heading: bool = False
    minor: bool = False
    alarm: bool = False


def note_of(story: "Story", report: Report) -> Note | None:
    """Return what to say of a report, as the story stands before it."""
    text = _sentence(story, report)
    if text is None:
        return None
    return Note(
        at=report.at,
        text=text,
        instance_id=report.instance_id,
        minor=report.kind is Kind.START and report.job != REPORT,
        alarm=report.kind in (Kind.KILLED, Kind.ERROR, Kind.FAILURE, Kind.LOST),
    )


def _sentence(story: "Story", report: Report) -> str | None:
    if words := _ABOUT_PROCESSES.get(report.kind):
        return words(story, report)
    if report.job == REPORT:
        words = _ABOUT_REPORTS.get(report.kind)
        return words(story, report) if words else None
    return f"runs {report.job}" if report.kind is Kind.START else None


# --- about processes ----------------------------------------------------------------


def _ready(story: "Story", report: Report) -> str:
    lives = story.lanes[report.instance_id].lives
    if len(lives) > 1:
        return f"is back, as process {lives[-1].pid}"
    return f"is ready, process {lives[-1].pid}"


def _exited(story: "Story", report: Report) -> str | None:
    if story.lanes[report.instance_id].lives[-1].killed is not None:
        return None
    if report.exit_status:
        return f"has ended with status {report.exit_status}"
    return "has ended"


def _killed(story: "Story", report: Report) -> str:
    return f"is killed (SIGKILL){_in_the_middle(story, report)}"


def _stopped(story: "Story", report: Report) -> str:
    return f"is asked to stop (SIGTERM){_in_the_middle(story, report)}"


def _in_the_middle(story: "Story", report: Report) -> str:
    running = story.lanes[report.instance_id].running
    shares = [f"{bar.share:.0%}" for bar in running if bar.job == REPORT]
    return f" with report at {shares[0]}" if shares else ""


def _error(_: "Story", report: Report) -> str:
    return f"has an error in {report.operation}: {report.error}"


# --- about reports ------------------------------------------------------------------


def _started(_: "Story", report: Report) -> str | None:
    # a later attempt was told as a takeover
    return "runs report" if report.attempt == 1 else None


def _taken_over(story: "Story", report: Report) -> str:
    before = story.find(REPORT, report.slot, report.attempt - 1)
    what = f"runs report again, attempt {report.attempt}"
    if before is None or before.ended is None:
        return what
    after = f"{max(0.0, report.at - before.ended):.2f} s after the"
    if before.end is Kind.KILLED:
        return f"{what}, {after} kill"
    return f"{what}, {after} hand-over" if before.handed_over else what


def _succeeded(_: "Story", report: Report) -> str:
    return f"has finished report{_attempt(report)}"


def _failed(_: "Story", report: Report) -> str:
    return f"has failed at report{_attempt(report)}"


def _attempt(report: Report) -> str:
    return f", attempt {report.attempt}" if report.attempt > 1 else ""


def _interrupted(_: "Story", report: Report) -> str | None:
    return "hands report over" if report.handed_over else None


def _lost(_: "Story", report: Report) -> str:
    return f"has lost report ({report.cause})"


Words = Callable[["Story", Report], str | None]

_ABOUT_PROCESSES: dict[Kind, Words] = {
    Kind.READY: _ready,
    Kind.KILLED: _killed,
    Kind.STOPPED: _stopped,
    Kind.EXITED: _exited,
    Kind.ERROR: _error,
}
_ABOUT_REPORTS: dict[Kind, Words] = {
    Kind.START: _started,
    Kind.TAKEOVER: _taken_over,
    Kind.SUCCESS: _succeeded,
    Kind.FAILURE: _failed,
    Kind.INTERRUPTED: _interrupted,
    Kind.LOST: _lost,
}
