"""What all instances did, when: from reports to lanes.

Decides how reports add up to lives, bars and marks, by the machine's one monotonic
clock, whatever the wall clocks said. Must not know how they are drawn. Times are
seconds since shortly before the first thing happened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from tests.processes.report import Report
from tests.scenarios.show.marks import Mark, NameOf, RunKey, marks_of

INSTANCES = ("A", "B", "C")
# whatever is done to it is reported by nobody
STORE = ""
# s that are shown before the first thing happens, if instances were ready by then
LEAD = 0.5
QUIET = {"loaded", "ready"}


class End(StrEnum):
    """How an attempt ended on an instance, as far as is known."""

    OPEN = "running"
    SUCCESS = "success"
    FAILURE = "failure"
    INTERRUPTED = "interrupted"
    KILLED = "killed"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """From an instant to another; ``end`` is ``None`` if it goes on."""

    begin: float
    end: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One process from its start to its end, scheduling since it was ``ready``."""

    begin: float
    ready: float | None
    end: float | None
    killed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """An attempt on an instance, which owned it no more since it was ``lost``."""

    run: str
    attempt: int
    begin: float
    end: float | None
    how: End
    lost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """All that one instance did, over all its lives; or what was done to the store."""

    name: str
    lives: tuple[Life, ...] = ()
    bars: tuple[Bar, ...] = ()
    frozen: tuple[Stretch, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The lanes of all instances, and of the store if something was done to it."""

    lanes: tuple[Lane, ...]
    end: float


def timeline_of(reports: Sequence[Report], now: float | None = None) -> Timeline:
    """Return the lanes, until ``now`` by the monotonic clock or the last report."""
    told = _since_zero(sorted(reports, key=lambda report: report.monotonic), now)
    names = dict.fromkeys([*INSTANCES, *sorted(r.who for r in told if r.who)])
    here = [STORE] if any(report.who == STORE for report in told) else []
    end = max((report.monotonic for report in told), default=0.0)
    name_of = _names_of(told)
    return Timeline(
        lanes=tuple(_lane(name, told, name_of) for name in (*names, *here)),
        end=end if now is None else max(end, now - _zero(reports, now)),
    )


def _zero(reports: Iterable[Report], now: float | None) -> float:
    quiet = [r.monotonic for r in reports if r.what == "ready"]
    loud = [r.monotonic for r in reports if r.what not in QUIET]
    first = min(loud, default=None)
    if first is None:
        return min(quiet, default=now or 0.0)
    return max(min(quiet, default=first), first - LEAD)


def _since_zero(reports: Sequence[Report], now: float | None) -> list[Report]:
    zero = _zero(reports, now)
    return [replace(r, monotonic=r.monotonic - zero) for r in reports]


def _names_of(reports: Iterable[Report]) -> NameOf:
    """Number the slots of a job where it has more than one."""
    slots: dict[str, list[int]] = {}
    for job, slot in sorted({(r.job, r.slot) for r in reports if r.slot}):
        slots.setdefault(job, []).append(slot)

    def name_of(run: RunKey) -> str:
        job, slot = run
        several = len(slots.get(job, ())) > 1 and slot
        return f"{job} #{slots[job].index(slot) + 1}" if several else job

    return name_of


def _lane(name: str, reports: Sequence[Report], name_of: NameOf) -> Lane:
    mine = [report for report in reports if report.who == name]
    processes = [
        [report for report in mine if report.pid == pid]
        for pid in dict.fromkeys(report.pid for report in mine if report.pid)
    ]
    lives = _lives(processes)
    both = list(zip(processes, lives, strict=True))
    return Lane(
        name=name,
        lives=lives,
        bars=tuple(bar for told, life in both for bar in _bars(told, life, name_of)),
        frozen=tuple(span for told, life in both for span in _frozen(told, life)),
        marks=tuple(sorted(marks_of(mine, name_of), key=lambda mark: mark.at)),
    )


def _lives(processes: Sequence[Sequence[Report]]) -> tuple[Life, ...]:
    lives = [_life(told) for told in processes]
    # whoever is followed by another process has ended, whether or not it said so
    for index, (before, after) in enumerate(pairwise(lives)):
        if before.end is None:
            lives[index] = replace(before, end=after.begin)
    return tuple(lives)


def _life(told: Sequence[Report]) -> Life:
    return Life(
        begin=told[0].monotonic,
        ready=_first(told, "ready"),
        end=_first(told, "killed", "ended"),
        killed=_first(told, "killed") is not None,
    )


def _bars(told: Sequence[Report], life: Life, name_of: NameOf) -> list[Bar]:
    starts = [report for report in told if report.what == "start"]
    return [_bar(start, told, life, name_of) for start in starts]


def _bar(start: Report, told: Sequence[Report], life: Life, name_of: NameOf) -> Bar:
    key = (start.job, start.slot, start.attempt)
    later = [
        report
        for report in told
        if (report.job, report.slot, report.attempt) == key
        and report.monotonic >= start.monotonic
    ]
    end, how = _end(later, life)
    return Bar(
        run=name_of((start.job, start.slot)),
        attempt=start.attempt,
        begin=start.monotonic,
        end=None if end is None else max(start.monotonic, end),
        how=how,
        lost=_first(later, "lost"),
    )


def _end(later: Sequence[Report], life: Life) -> tuple[float | None, End]:
    for how in (End.SUCCESS, End.FAILURE, End.INTERRUPTED):
        if (at := _first(later, how)) is not None:
            return at, how
    if life.end is None:
        return None, End.OPEN
    return life.end, End.KILLED if life.killed else End.LEFT


def _frozen(told: Sequence[Report], life: Life) -> list[Stretch]:
    thawed = [report.monotonic for report in told if report.what == "thawed"]
    begins = [report.monotonic for report in told if report.what == "frozen"]
    return [
        Stretch(begin=at, end=min((t for t in thawed if t >= at), default=life.end))
        for at in begins
    ]


def _first(told: Iterable[Report], *words: str) -> float | None:
    return next((report.monotonic for report in told if report.what in words), None)
