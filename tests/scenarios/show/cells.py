"""A lane as a strip of cells: what one instance did, when.

Decides which of several things in one cell is seen. Must not know how much of a
terminal there is, nor how each thing looks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.scenarios.show.looks import ATTEMPT, GROUNDS, MARKS, Ground, Look
from tests.scenarios.show.marks import Kind, Mark
from tests.scenarios.show.ticks import ticks
from tests.scenarios.show.timeline import STORE, Bar, Lane, Life, Timeline

# columns before the cells of a lane
MARGIN = 3
# columns that a tick of the axis needs
TICK_ROOM = 6

# an attempt's number is over these, and under all others
MINOR = {
    Kind.CHECK,
    Kind.CLAIM,
    Kind.BEAT,
    Kind.UNANSWERED,
    Kind.WON,
    Kind.SKIP,
}
ORDER = list(Kind)


@dataclass(frozen=True, slots=True)
class Cell:
    """One character and its style."""

    text: str
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The stretch of time that is shown in so many ``cells``; times are in seconds.

    What goes on is drawn until ``now``, or to the end.
    """

    begin: float
    end: float
    cells: int
    now: float | None = None
    ascii_only: bool = False

    def between(self, begin: float, end: float | None) -> Iterator[int]:
        """Yield the cells from one instant to another, both included."""
        first = self._cell(begin)
        now = self.end if self.now is None else self.now
        last = self._cell(now if end is None else end)
        yield from range(max(first, 0), min(last, self.cells - 1) + 1)

    def _cell(self, at: float) -> int:
        share = (at - self.begin) / max(self.end - self.begin, 1e-9)
        # the end itself belongs to the last cell
        return int(share * self.cells // 1) if at != self.end else self.cells - 1


class Strip:
    """The cells of a lane while they are filled, the later over the earlier."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._colours = [""] * window.cells
        self.cells = [Cell(" ", "")] * window.cells

    def fill(self, look: Look, begin: float, end: float | None) -> None:
        """Draw a stretch."""
        text = look.text(ascii_only=self._window.ascii_only)
        for index in self._window.between(begin, end):
            self.cells[index] = Cell(text, look.style)
            self._colours[index] = look.style if look.meaning else ""

    def put(self, look: Look, at: float, text: str = "") -> None:
        """Draw one character, on whatever is there."""
        text = text or look.text(ascii_only=self._window.ascii_only)
        for index in self._window.between(at, at):
            colour = self._colours[index]
            style = f"bold white on {colour}" if colour else look.style
            self.cells[index] = Cell(text, style)


def strip(lane: Lane, window: Window) -> list[Cell]:
    """Return a lane as cells: lives, attempts, frozen stretches, marks."""
    drawn = Strip(window)
    for life in lane.lives:
        _draw_life(drawn, life)
    for bar in lane.bars:
        _draw_bar(drawn, bar)
    for span in lane.frozen:
        drawn.fill(GROUNDS[Ground.FROZEN], span.begin, span.end)
    _draw_marks(drawn, [mark for mark in lane.marks if mark.kind in MINOR])
    for bar in lane.bars:
        drawn.put(ATTEMPT, bar.begin, str(bar.attempt)[-1])
    _draw_marks(drawn, [mark for mark in lane.marks if mark.kind not in MINOR])
    return drawn.cells


def text_lanes(
    timeline: Timeline, span: float, width: int, *, ascii_only: bool = False
) -> list[str]:
    """Return all lanes as lines of text, from 0 to ``span`` s, and their axis."""
    window = Window(
        begin=0.0, end=span, cells=max(1, width - MARGIN), ascii_only=ascii_only
    )
    lines = [
        f" {lane.name} " + "".join(cell.text for cell in strip(lane, window))
        for lane in timeline.lanes
        if lane.name != STORE
    ]
    notes = [f"   {notes_of(lane, window)}" for lane in timeline.lanes if not lane.name]
    axis = " " * MARGIN + axis_of(window)
    return [line.rstrip() for line in (*lines, *notes, axis)]


def notes_of(lane: Lane, window: Window) -> str:
    """Return what was done to the store, in words, each as near as it fits."""
    line = ""
    bar = MARKS[Kind.NOTE].text(ascii_only=window.ascii_only)
    for mark in lane.marks:
        for index in window.between(mark.at, mark.at):
            line = line.ljust(index) + f"{bar}{mark.text} "
    return line.rstrip()[: window.cells]


def axis_of(window: Window) -> str:
    """Return the seconds under the cells."""
    apart = TICK_ROOM * (window.end - window.begin) / window.cells
    line = ""
    for second in ticks(window.begin, window.end, apart):
        for index in window.between(second, second):
            # half a number would be another one
            if index + len(f"{second:g}") <= window.cells:
                line = line.ljust(index) + f"{second:g}"
    return f"{line} s"[: window.cells]


def _draw_life(drawn: Strip, life: Life) -> None:
    ready = life.end if life.ready is None else life.ready
    drawn.fill(GROUNDS[Ground.STARTING], life.begin, ready)
    if life.ready is not None:
        drawn.fill(GROUNDS[Ground.ALIVE], life.ready, life.end)


def _draw_bar(drawn: Strip, bar: Bar) -> None:
    ground = Ground.FIRST if bar.attempt == 1 else Ground.LATER
    drawn.fill(GROUNDS[ground], bar.begin, bar.end)
    if bar.lost is not None:
        drawn.fill(GROUNDS[Ground.UNOWNED], bar.lost, bar.end)


def _draw_marks(drawn: Strip, marks: Sequence[Mark]) -> None:
    for mark in sorted(marks, key=lambda mark: ORDER.index(mark.kind)):
        if look := MARKS.get(mark.kind):
            drawn.put(look, mark.at)
