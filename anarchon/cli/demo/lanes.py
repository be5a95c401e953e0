"""A lane as a strip of cells: what one instance did, when.

Decides the cells and their colours; without colours they can be told apart as well.
Must not know how much of a terminal there is, nor anything but the story.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from anarchon.cli.demo.plan import REPORT
from anarchon.cli.demo.story import Bar, Lane, Life


@dataclass(frozen=True, slots=True)
class Cell:
    """One character and its style."""

    text: str
    style: str


BLANK = Cell(" ", "")
ALIVE = Cell("─", "dim")
STARTING = Cell("┄", "dim")
SYNC = Cell("•", "bold cyan")
KILLED = Cell("✗", "bold red")
HANDED_OVER = Cell("»", "bold yellow")
FIRST = Cell("█", "blue")
LATER = Cell("▓", "green")

Cells = list[Cell]


@dataclass(frozen=True, slots=True)
class Window:
    """The stretch of time that is shown: ``cells`` of ``width`` seconds each."""

    start: float
    width: float
    cells: int

    def between(self, begin: float, end: float) -> Iterator[int]:
        """Yield the cells from one instant to another, both included."""
        first, last = self._cell(begin), self._cell(end)
        yield from range(max(first, 0), min(last, self.cells - 1) + 1)

    def _cell(self, at: float) -> int:
        return int((at - self.start) // self.width)


def strip(lane: Lane, window: Window, now: float) -> Text:
    """Return a lane as one line: its lives, its reports, its dots, its marks."""
    cells = [BLANK] * window.cells
    for life in lane.lives:
        _draw_life(cells, life, window, now)
    for bar in lane.bars:
        if bar.job == REPORT:
            _draw_report(cells, bar, window, now)
    for bar in lane.bars:
        if bar.job != REPORT:
            _draw_dot(cells, bar, window)
    _draw_marks(cells, lane, window)
    return Text.assemble(*((cell.text, cell.style) for cell in cells))


def _draw_life(cells: Cells, life: Life, window: Window, now: float) -> None:
    end = life.killed or life.exited or now
    _draw(cells, STARTING, window, life.spawned, life.ready or end)
    if life.ready is not None:
        _draw(cells, ALIVE, window, life.ready, end)


def _draw_report(cells: Cells, bar: Bar, window: Window, now: float) -> None:
    _draw(cells, block_of(bar), window, bar.began, bar.ended or now)


def _draw_dot(cells: Cells, bar: Bar, window: Window) -> None:
    for index in window.between(bar.began, bar.began):
        under = cells[index]
        inside = under in (FIRST, LATER)
        cells[index] = _on(under, SYNC.text) if inside else SYNC


def _draw_marks(cells: Cells, lane: Lane, window: Window) -> None:
    for bar in lane.bars:
        if bar.job == REPORT:
            number = _on(block_of(bar), str(bar.attempt))
            _draw(cells, number, window, bar.began, bar.began)
        if bar.job == REPORT and bar.handed_over and bar.ended:
            _draw(cells, HANDED_OVER, window, bar.ended, bar.ended)
    for life in lane.lives:
        if life.killed is not None:
            _draw(cells, KILLED, window, life.killed, life.killed)


def _draw(cells: Cells, cell: Cell, window: Window, begin: float, end: float) -> None:
    for index in window.between(begin, end):
        cells[index] = cell


def block_of(bar: Bar) -> Cell:
    """Return what a report's bar is made of: later attempts have their own."""
    return FIRST if bar.attempt == 1 else LATER


def _on(block: Cell, text: str) -> Cell:
    return Cell(text, f"bold white on {block.style}")


def legend() -> Text:
    """Return what the cells mean."""
    return Text.assemble(
        (SYNC.text, SYNC.style),
        " sync   ",
        *_sample(FIRST, "1"),
        " report   ",
        *_sample(LATER, "2"),
        " its attempt 2   ",
        (KILLED.text, KILLED.style),
        " killed   ",
        (HANDED_OVER.text, HANDED_OVER.style),
        " handed over",
    )


def _sample(block: Cell, number: str) -> tuple[tuple[str, str], ...]:
    mark = _on(block, number)
    return (mark.text, mark.style), (block.text * 2, block.style)
