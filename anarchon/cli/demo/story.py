"""The story so far: what each instance did and what was done to it.

Decides how reports add up to lanes and bars. Must not know how they are shown. Times
are wall time in seconds since 1970 UTC, all by the clock of one machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from anarchon.cli.demo.notes import Note, note_of
from anarchon.cli.demo.plan import HALF, INSTANCES
from anarchon.cli.report import Kind, Report


class Phase(StrEnum):
    """Where a process stands."""

    ABSENT = "not started"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    STOPPED = "stopped"
    KILLED = "killed"
    FAILED = "failed"


@dataclass(slots=True, kw_only=True)
class Bar:
    """One attempt: ``end`` is ``None`` while it runs, and ``KILLED`` without a word."""

    instance_id: str
    job: str
    slot: int
    attempt: int
    began: float
    share: float = 0.0
    ended: float | None = None
    end: Kind | None = None
    handed_over: bool = False

    @property
    def key(self) -> tuple[str, int, int]:
        """Which attempt it is, across the cluster."""
        return self.job, self.slot, self.attempt


@dataclass(slots=True, kw_only=True)
class Life:
    """One process from its start to its end."""

    pid: int
    spawned: float
    ready: float | None = None
    stopped: float | None = None
    killed: float | None = None
    exited: float | None = None
    exit_status: int = 0

    @property
    def phase(self) -> Phase:
        """Where it stands now."""
        if self.killed is not None:
            return Phase.KILLED
        if self.exited is not None:
            return Phase.FAILED if self.exit_status else Phase.STOPPED
        if self.stopped is not None:
            return Phase.STOPPING
        return Phase.STARTING if self.ready is None else Phase.READY


@dataclass(slots=True, kw_only=True)
class Lane:
    """All that one instance did, over all of its lives."""

    instance_id: str
    lives: list[Life] = field(default_factory=list[Life])
    bars: list[Bar] = field(default_factory=list[Bar])

    @property
    def phase(self) -> Phase:
        """Where its newest process stands."""
        return self.lives[-1].phase if self.lives else Phase.ABSENT

    @property
    def running(self) -> list[Bar]:
        """The attempts that it runs now."""
        return [bar for bar in self.bars if bar.end is None]

    def find(self, key: tuple[str, int, int]) -> Bar | None:
        """Return the newest bar of an attempt."""
        return next((bar for bar in reversed(self.bars) if bar.key == key), None)


class Story:
    """Every instance's lane, and what is worth a line of text."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.lanes: dict[str, Lane] = {
            name: Lane(instance_id=name) for name in INSTANCES
        }
        self.notes: list[Note] = []

    # --- hearing --------------------------------------------------------------------

    def announce(self, text: str, at: float) -> None:
        """Begin a chapter."""
        self.notes.append(Note(at=at, text=text, heading=True))

    def hear(self, report: Report) -> None:
        """Add one report."""
        note = note_of(self, report)
        self._fold(self.lanes[report.instance_id], report)
        if note is not None:
            self.notes.append(note)

    def _fold(self, lane: Lane, report: Report) -> None:
        match report.kind:
            case Kind.SPAWNED:
                lane.lives.append(Life(pid=report.pid, spawned=report.at))
            case Kind.READY:
                lane.lives[-1].ready = report.at
            case Kind.STOPPED:
                lane.lives[-1].stopped = report.at
            case Kind.KILLED:
                lane.lives[-1].killed = report.at
                _cut(lane, report.at)
            case Kind.EXITED:
                life = lane.lives[-1]
                life.exited, life.exit_status = report.at, report.exit_status
                _cut(lane, life.killed or report.at)
            case Kind.START:
                lane.bars.append(_new_bar(report))
            case Kind.PROGRESS:
                _bar_of(lane, report).share = report.share
            case Kind.SUCCESS | Kind.FAILURE | Kind.INTERRUPTED if not report.final:
                bar = _bar_of(lane, report)
                bar.ended, bar.end = report.at, report.kind
                bar.handed_over = report.handed_over
            case _:
                pass

    # --- asking ---------------------------------------------------------------------

    @property
    def bars(self) -> Iterator[Bar]:
        """All attempts, lane by lane."""
        for lane in self.lanes.values():
            yield from lane.bars

    def find(self, job: str, slot: int, attempt: int) -> Bar | None:
        """Return the bar of an attempt, whoever has it."""
        key = (job, slot, attempt)
        return next((bar for bar in self.bars if bar.key == key), None)

    def halfway(self, job: str) -> Bar | None:
        """Return a first attempt that is half done and all that its instance runs."""
        for lane in self.lanes.values():
            match lane.running:
                case [Bar(attempt=1) as bar] if bar.job == job and bar.share >= HALF:
                    return bar if lane.phase is Phase.READY else None
                case _:
                    pass
        return None

    def killed(self, job: str) -> Bar | None:
        """Return the attempt of this job whose runner was killed."""
        cut = (bar for bar in self.bars if bar.end is Kind.KILLED and bar.job == job)
        return next(cut, None)

    def handed_over(self, job: str) -> Bar | None:
        """Return the attempt of this job that a stopping runner handed over."""
        handed = (bar for bar in self.bars if bar.handed_over and bar.job == job)
        return next(handed, None)

    def wins(self, job: str) -> dict[str, int]:
        """Return how many runs of this job each instance has finished."""
        done = [bar for bar in self.bars if bar.end is Kind.SUCCESS and bar.job == job]
        return {name: sum(b.instance_id == name for b in done) for name in self.lanes}


def _cut(lane: Lane, at: float) -> None:
    for bar in lane.running:
        bar.ended, bar.end = at, Kind.KILLED


def _bar_of(lane: Lane, report: Report) -> Bar:
    """Return the attempt's bar; one that never started gets one when it ends."""
    bar = lane.find((report.job or "", report.slot, report.attempt))
    if bar is None:
        bar = _new_bar(report)
        lane.bars.append(bar)
    return bar


def _new_bar(report: Report) -> Bar:
    return Bar(
        instance_id=report.instance_id,
        job=report.job or "",
        slot=report.slot,
        attempt=report.attempt,
        began=report.at,
    )
