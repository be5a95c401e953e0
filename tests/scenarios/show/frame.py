"""A scenario on all of its stores, as lines that fit a terminal.

Decides what is left out where there is little room. Must not know when it is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.text import Text

from tests.scenarios.performance import Outcome, Performance
from tests.scenarios.scenario import Scenario
from tests.scenarios.show.cells import MARGIN, Window, axis_of, notes_of, strip
from tests.scenarios.show.findings import headline, kind_of
from tests.scenarios.show.looks import Look, legend_lines
from tests.scenarios.show.timeline import STORE, Timeline
from tests.scenarios.stores import PAIRS, Store

# from so many columns on, lease and claim-only are side by side
ROOM_FOR_TWO = 100
GAP = "  "
# the shortest time that is shown, and how much is added when it is full, in seconds
SPAN = 4.0
STEP = 2.0

STYLES: Mapping[Outcome, str] = {
    Outcome.KEPT: "green",
    Outcome.BROKEN: "bold red",
    Outcome.STUCK: "bold red",
    Outcome.NOT_PLAYED: "dim",
    Outcome.FAILED: "bold red",
}

Lines = list[Text]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is known of a scenario on one store; no ``performance`` while it goes on."""

    store: Store
    timeline: Timeline
    performance: Performance | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The columns and lines that a frame may take; no limit if ``height`` is 0."""

    width: int
    height: int = 0
    ascii_only: bool = False


def frame(scenario: Scenario, views: Sequence[View], room: Room) -> Lines:
    """Return the title, the lanes on each store as far as there is room, the time."""
    rows = _rows(views, room.width)
    columns = max((len(row) for row in rows), default=1)
    width = (room.width - len(GAP) * (columns - 1)) // columns
    span = _span(views)
    title = Text(f" {scenario.number}. {scenario.title}", "bold")
    blocks = [[_block(view, span, width, room) for view in row] for row in rows]
    shown = blocks if not room.height else _shortened(blocks, room.height - 2)
    return [
        _fit(title, room.width),
        *(line for row in shown for line in _beside(row, width)),
        *_beside([[_axis(span, width)]] * columns, width),
    ]


def _shortened(rows: Sequence[Sequence[Lines]], height: int) -> list[list[Lines]]:
    """Keep the lanes of as many rows as there is room for, and the head of all."""
    left = height - len(rows)
    shown: list[list[Lines]] = []
    for row in rows:
        lanes = max(len(block) for block in row) - 1
        fits = lanes <= left
        left -= lanes if fits else 0
        shown.append([block if fits else block[:1] for block in row])
    return shown


def _rows(views: Sequence[View], width: int) -> list[list[View]]:
    """Put lease beside claim-only, if both are there and there is room."""
    by = {view.store.name: view for view in views}
    pairs = [[by[one.name] for one in pair if one.name in by] for pair in PAIRS]
    if width >= ROOM_FOR_TWO and any(len(pair) > 1 for pair in pairs):
        return [pair for pair in pairs if pair]
    return [[view] for pair in pairs for view in pair]


def _span(views: Sequence[View]) -> float:
    """Let time grow by steps, so that what was drawn seldom moves."""
    longest = max((view.timeline.end for view in views), default=0.0)
    return max(SPAN, -(-longest // STEP) * STEP)


def _block(view: View, span: float, width: int, room: Room) -> Lines:
    now = view.timeline.end if view.performance is None else None
    window = Window(
        begin=0.0,
        end=span,
        cells=max(1, width - MARGIN),
        now=now,
        ascii_only=room.ascii_only,
    )
    return [_head(view), *_lanes(view.timeline, window)]


def _head(view: View) -> Text:
    done = view.performance
    told = headline(done) if done else "playing"
    style = STYLES[done.outcome] if done else "cyan"
    return Text.assemble(
        (f" {view.store.name}", "bold"),
        (f" ({kind_of(view.store)}) ", "dim"),
        (told, style),
    )


def _lanes(timeline: Timeline, window: Window) -> Iterator[Text]:
    for lane in timeline.lanes:
        if lane.name == STORE:
            yield Text.assemble(" " * MARGIN, (notes_of(lane, window), "magenta"))
            continue
        cells = strip(lane, window)
        yield Text.assemble(
            (f" {lane.name} ", "bold"), *((cell.text, cell.style) for cell in cells)
        )


def _axis(span: float, width: int) -> Text:
    window = Window(begin=0.0, end=span, cells=max(1, width - MARGIN))
    return Text(" " * MARGIN + axis_of(window), "dim")


def legend_of(room: Room) -> Lines:
    """Return what everything on a lane means."""
    # a column is left free at the edge, as before the lanes
    lines = legend_lines(room.width - 1, ascii_only=room.ascii_only)
    return [_fit(Text.assemble(" ", *_styled(line)), room.width) for line in lines]


def _styled(line: Sequence[tuple[str, Look]]) -> Iterator[tuple[str, str]]:
    for text, look in line:
        yield text[:1], look.style
        yield text[1:], "dim"


def _beside(blocks: Sequence[Lines], width: int) -> Iterator[Text]:
    for parts in zip_longest(*blocks, fillvalue=Text()):
        yield Text(GAP).join(_fit(part, width, pad=True) for part in parts)


def _fit(line: Text, width: int, *, pad: bool = False) -> Text:
    fitting = line.copy()
    fitting.truncate(width, overflow="ellipsis", pad=pad)
    fitting.no_wrap = True
    return fitting
