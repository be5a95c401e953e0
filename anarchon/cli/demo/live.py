"""The demo in a terminal: a lane for each instance, drawn as it happens.

Decides the layout, from 40 columns on. Must not know what a lane shows.
"""

from collections.abc import Iterator, Sequence
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from anarchon import RunRecord
from anarchon.cli.demo.lanes import Window, block_of, legend, strip
from anarchon.cli.demo.notes import Note
from anarchon.cli.demo.plan import REPORT, about
from anarchon.cli.demo.promise import Promise
from anarchon.cli.demo.story import Lane, Phase, Story
from anarchon.cli.demo.table import history_lines, promise_lines

# seconds that fit on a lane; after that it moves
SPAN = 24.0
MARK_EVERY = 5

NAME_WIDTH = 4
STATUS_WIDTH = 13
# below so many columns there is no room for what an instance does now
ROOM_FOR_STATUS = 64
# lines of a frame that are not notes
FIXED_LINES = 11
FEWEST_NOTES = 3

TITLE = "anarchon demo"
PHASE_STYLES = {Phase.KILLED: "red", Phase.FAILED: "bold red", Phase.STOPPING: "yellow"}


class LiveScreen:
    """Draws the whole story anew at each refresh, in place."""

    def __init__(self, loop: str, console: Console | None = None) -> None:
        self._loop = loop
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False)
        self._now = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def refresh(self, story: Story, now: float) -> None:
        """Draw the lanes and the newest notes."""
        self._now = now
        room = max(FEWEST_NOTES, self._console.height - FIXED_LINES)
        frame = self._frame(story, _worth_a_line(story)[-room:], no_wrap=True)
        self._live.update(frame, refresh=True)

    def conclude(
        self, story: Story, records: Sequence[RunRecord], promises: Sequence[Promise]
    ) -> None:
        """Leave the lanes with all notes, and print the history and the verdict."""
        # stop draws it, and lets it be higher than the terminal
        self._live.update(self._frame(story, _worth_a_line(story), no_wrap=False))
        self._live.stop()
        self._console.print(*_history(story, records), *_verdict(promises), sep="\n")

    def _frame(self, story: Story, notes: Sequence[Note], *, no_wrap: bool) -> Group:
        width, now = self._console.width, self._now
        above = (
            *_header(self._loop, width, now - story.began),
            *_lanes(story, width, now),
            Text(),
            legend(),
            Text(),
        )
        below = [_note(note, story.began) for note in notes]
        for line in (*above, *(below if no_wrap else ())):
            line.no_wrap, line.overflow = True, "ellipsis"
        return Group(*above, *below)


def _worth_a_line(story: Story) -> list[Note]:
    return [note for note in story.notes if not note.minor]


def _header(loop: str, width: int, elapsed: float) -> Iterator[Text]:
    clock = f"{elapsed:.1f} s"
    yield Text()
    yield Text.assemble((f" {TITLE}", "bold"), clock.rjust(width - len(TITLE) - 2))
    yield Text(f" {about(loop)}", "dim")
    yield Text()


def _lanes(story: Story, width: int, now: float) -> Iterator[Text]:
    status_width = STATUS_WIDTH if width >= ROOM_FOR_STATUS else 0
    cells = max(1, width - NAME_WIDTH - status_width - 1)
    start = max(story.began, now - SPAN)
    window = Window(start, SPAN / cells, cells)
    for name, lane in story.lanes.items():
        status = _status(lane) if status_width else Text()
        line = strip(lane, window, now)
        yield Text.assemble((f" {name}  ", "bold"), line, " ", status)
    yield Text(" " * NAME_WIDTH + _axis(story.began, window), "dim")


def _axis(began: float, window: Window) -> str:
    marks = [" "] * window.cells
    for second in range(0, 1_000, MARK_EVERY):
        for first in window.between(began + second, began + second):
            for index, char in enumerate(f"{second} s", first):
                if index < len(marks):
                    marks[index] = char
    return "".join(marks)


def _status(lane: Lane) -> Text:
    for bar in lane.running:
        if bar.job == REPORT:
            return Text(f"{bar.job} {bar.share:.0%}", block_of(bar).style)
    return Text(lane.phase.value, PHASE_STYLES.get(lane.phase, "dim"))


def _note(note: Note, began: float) -> Text:
    if note.heading:
        return Text(f" {note.text}", "bold")
    return Text.assemble(
        (f"  {note.at - began:5.1f} s  ", "dim"),
        (f"{note.instance_id:1}  ", "bold"),
        (note.text, "red" if note.alarm else ""),
    )


def _history(story: Story, records: Sequence[RunRecord]) -> Iterator[Text]:
    head, *rows = history_lines(records, story.began)
    yield Text("\n History, as the store has it\n", "bold")
    yield Text(f"  {head}", "dim")
    yield from (Text(f"  {row}") for row in rows)


def _verdict(promises: Sequence[Promise]) -> Iterator[Text]:
    yield Text("\n Promises\n", "bold")
    for promise in promises:
        style = "green" if promise.kept else "bold red"
        yield from (Text(f"  {line}", style) for line in promise_lines(promise))
