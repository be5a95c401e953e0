"""What happened at one instant on a lane, in words.

Decides what is worth a mark, and of which kind. Must not know how marks are drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.processes.report import Report

RunKey = tuple[str, int]
# from a job and a slot to what people call that run
NameOf = Callable[[RunKey], str]


class Kind(StrEnum):
    """What a mark is about; where marks meet, the later one in this list is on top."""

    CHECK = "check"
    CLAIM = "claim"
    BEAT = "heartbeat"
    UNANSWERED = "unanswered"
    WON = "won"
    SKIP = "skip"
    STOPPED = "stopped"
    SUCCESS = "success"
    FAILURE = "failure"
    INTERRUPTED = "interrupted"
    TAKEOVER = "takeover"
    HANDED_OVER = "hand-over"
    SKEW = "clock skew"
    NOTE = "note"
    ERROR = "error"
    REFUSED = "refused"
    LOST = "lost"
    FROZEN = "frozen"
    THAWED = "thawed"
    KILLED = "killed"


Told = tuple[Kind, str]

TAKEOVER = "takeover"
WORDS = {"overlapping": "overlap", "norun": "nobody was granted it"}
# lives and bars show these
EVENTS = {
    "skip": Kind.SKIP,
    "takeover": Kind.TAKEOVER,
    "success": Kind.SUCCESS,
    "failure": Kind.FAILURE,
    "interrupted": Kind.INTERRUPTED,
    "lost": Kind.LOST,
    "error": Kind.ERROR,
    "clock_skew": Kind.SKEW,
}
SILENT = {"loaded", "ready", "ended", "asked", "start"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What happened ``at`` some time, in seconds; ``text`` is for people."""

    at: float
    kind: Kind
    text: str


def marks_of(reports: Sequence[Report], name_of: NameOf) -> Iterator[Mark]:
    """Yield the marks of one instance, from its reports in order of time.

    A claim's mark knows what it was for from when it was asked.
    """
    asked: dict[tuple[int, str, int, int], Report] = {}
    for report in reports:
        call = (report.pid, report.job, report.slot, report.attempt)
        before = asked.pop(call, None) if report.operation == "claim" else None
        if report.what == "asked":
            asked[call] = report
        if report.what == "asked" and before is not None:
            yield _unanswered(before, name_of)
        elif mark := _mark(report, before, name_of):
            yield mark
    yield from (_unanswered(report, name_of) for report in asked.values())


def _unanswered(asked: Report, name_of: NameOf) -> Mark:
    run = name_of((asked.job, asked.slot))
    text = f"claim of {run}, attempt {asked.attempt}: no answer"
    return Mark(at=asked.monotonic, kind=Kind.UNANSWERED, text=text)


def _mark(report: Report, asked: Report | None, name_of: NameOf) -> Mark | None:
    if report.what in SILENT:
        return None
    run = name_of((report.job, report.slot))
    if report.what == "answered":
        told = _answer(report, run, asked.reason if asked else None)
    else:
        told = _event(report, run) or _deed(report)
    return told and Mark(at=report.monotonic, kind=told[0], text=told[1])


def _answer(report: Report, run: str, mode: str | None) -> Told | None:
    answer = WORDS.get(report.reason or "", report.reason)
    match report.operation, answer:
        case "claim", "won":
            return Kind.WON, f"claim of {run}, attempt {report.attempt}: won"
        case "claim", _ if mode == TAKEOVER:
            return Kind.CHECK, f"a backup asks for {run}: {answer}"
        case "claim", _:
            return Kind.CLAIM, f"claim of {run}: {answer}"
        case operation, "refused":
            return Kind.REFUSED, f"{operation} of {run}: refused"
        case "heartbeat", _:
            return Kind.BEAT, f"heartbeat of {run}"
        case _:
            return None


def _event(report: Report, run: str) -> Told | None:
    handed_over = report.what == "interrupted" and report.handed_over
    kind = Kind.HANDED_OVER if handed_over else EVENTS.get(report.what)
    return (kind, _told(kind, report, run)) if kind else None


def _told(kind: Kind, report: Report, run: str) -> str:
    attempt = f"{run}, attempt {report.attempt}"
    match kind:
        case Kind.SKIP:
            by = f" by {report.by}" if report.by else ""
            text = f"skips {run}: {report.reason}{by}"
        case Kind.TAKEOVER:
            late = f"{report.waited:.2f} s after the lease's end"
            text = f"takes {run} over from {report.from_instance}, {late}"
        case Kind.HANDED_OVER:
            text = f"hands over {attempt}"
        case Kind.LOST:
            text = f"has lost {attempt}: {report.cause}"
        case Kind.ERROR:
            text = f"{report.operation} failed: {report.error}"
        case Kind.SKEW:
            text = f"its clock is off by {report.offset:.1f} s"
        case _:
            text = f"{kind}: {attempt}{', for good' if report.final else ''}"
    return text


def _deed(report: Report) -> Told:
    match report.what:
        case "killed" | "frozen" | "thawed":
            return Kind(report.what), report.what
        case "stopped":
            return Kind.STOPPED, "asked to stop"
        case _ if report.what.startswith("interrupted"):
            return Kind.STOPPED, report.what
        case _:
            return Kind.NOTE, report.what
