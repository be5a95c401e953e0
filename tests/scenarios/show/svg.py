"""A timeline as a drawing: a lane for each instance, bars, marks, and the seconds.

Decides where everything is. Must not know colours, nor what is around the drawing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.scenarios.show.cells import MINOR
from tests.scenarios.show.marks import Kind, Mark
from tests.scenarios.show.markup import Markup, joined, tag
from tests.scenarios.show.shapes import SHAPES, class_of, shape
from tests.scenarios.show.ticks import ticks
from tests.scenarios.show.timeline import STORE, Bar, Lane, Life, Stretch, Timeline

WIDTH = 640.0
LEFT = 26.0
RIGHT = 14.0
TOP = 6.0
# a bar, and from one row of bars to the next; from one lane to the next
BAR = 16.0
ROW = 20.0
BETWEEN = 8.0
AXIS = 20.0
# the least that a tick, a name or a shape needs
TICK = 48.0
LETTER = 6.2
HIT = 7.0
# marks beside the bar that they belong to, not on it
ENDS = {Kind.SUCCESS, Kind.FAILURE, Kind.INTERRUPTED, Kind.HANDED_OVER}
BEGINS = {Kind.WON, Kind.TAKEOVER}
# s from a claim that was won to the beginning of its handler, at most
SOON = 0.2
SHIFTS = {
    Kind.TAKEOVER: -8.0,
    **dict.fromkeys(ENDS, 8.0),
}
# texts beyond this share of the width are written to the left
LATE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """From seconds to where they are drawn."""

    span: float

    def x(self, at: float) -> float:
        """Return where an instant is; what is outside is at the edge."""
        share = min(max(at / self.span, 0.0), 1.0)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def box(self, begin: float, end: float | None) -> tuple[float, float]:
        """Return where a stretch begins, and its width; one that goes on ends late."""
        x = self.x(begin)
        return x, max(1.0, self.x(self.span if end is None else end) - x)


def drawing_of(timeline: Timeline, span: float, name: str) -> Markup:
    """Return the drawing, from 0 to ``span`` s; ``name`` is for who can't see it."""
    scale = Scale(span=max(span, 1e-3))
    lanes: list[Markup] = []
    bottom = TOP
    for lane in timeline.lanes:
        lanes.append(_lane(lane, scale, bottom))
        bottom += _height(lane) + BETWEEN
    notes = [lane for lane in timeline.lanes if lane.name == STORE]
    return tag(
        "svg",
        _axis(scale, bottom),
        (_poles(lane, scale, bottom) for lane in notes),
        lanes,
        viewBox=f"0 0 {WIDTH:g} {bottom + AXIS:g}",
        role="img",
        aria_label=f"{name}: {told(timeline)}",
    )


def told(timeline: Timeline) -> str:
    """Return what matters of a timeline, as a sentence."""
    marks = sorted(
        (mark.at, f"{lane.name or 'store'} {mark.text}")
        for lane in timeline.lanes
        for mark in lane.marks
        if mark.kind not in MINOR
    )
    return "; ".join(f"{at:.1f} s {text}" for at, text in marks) or "nothing happened"


def rows_of(bars: Sequence[Bar]) -> list[int]:
    """Return the row of each bar: the first one that is free when it begins."""
    free: list[float] = []
    rows: list[int] = []
    for bar in bars:
        end = float("inf") if bar.end is None else bar.end
        row = next((row for row, at in enumerate(free) if at <= bar.begin), len(free))
        free[row : row + 1] = [end]
        rows.append(row)
    return rows


def _height(lane: Lane) -> float:
    rows = [row + 1 for row in rows_of(lane.bars)]
    notes = min(len(lane.marks), 2) if lane.name == STORE else 1
    return ROW * max([*rows, notes])


# --- one lane -------------------------------------------------------------------------


def _lane(lane: Lane, scale: Scale, top: float) -> Markup:
    middle = top + ROW / 2
    label = tag("text", lane.name, class_="name", x=6, y=middle + 4)
    bars = zip(lane.bars, rows_of(lane.bars), strict=True)
    return tag(
        "g",
        label,
        (_life(life, scale, middle) for life in lane.lives),
        (_bar(bar, scale, top + ROW * row) for bar, row in bars),
        (_frozen(span, scale, top, _height(lane)) for span in lane.frozen),
        (_mark(mark, scale, _beside(mark, lane, middle)) for mark in _shown(lane)),
    )


def _life(life: Life, scale: Scale, y: float) -> Markup:
    ready = life.end if life.ready is None else life.ready
    pieces = [_line("starting", life.begin, ready, scale, y)]
    if life.ready is not None:
        pieces.append(_line("alive", life.ready, life.end, scale, y))
    return joined(pieces)


def _line(kind: str, begin: float, end: float | None, scale: Scale, y: float) -> Markup:
    x, width = scale.box(begin, end)
    return tag("line", class_=kind, x1=x, x2=x + width, y1=y, y2=y)


def _bar(bar: Bar, scale: Scale, top: float) -> Markup:
    text = f"{bar.run}, attempt {bar.attempt}: {bar.how}"
    kind = "first" if bar.attempt == 1 else "later"
    lost = bar.lost is not None and _box("unowned", bar.lost, bar.end, scale, top)
    return tag(
        "g",
        tag("title", f"{text}, from {bar.begin:.2f} s{_until(bar.end)}"),
        _box(kind, bar.begin, bar.end, scale, top),
        lost or [],
        _name(bar, scale, top),
    )


def _name(bar: Bar, scale: Scale, top: float) -> Markup:
    """Write as much into a bar as there is room for."""
    x, width = scale.box(bar.begin, bar.end)
    names = [f"{bar.run}, attempt {bar.attempt}", str(bar.attempt)]
    text = next((n for n in names if len(n) * LETTER + 8 < width), "")
    return tag("text", text, class_="in-bar", x=x + 4, y=top + ROW / 2 + 4)


def _box(
    kind: str, begin: float, end: float | None, scale: Scale, top: float
) -> Markup:
    x, width = scale.box(begin, end)
    y = top + (ROW - BAR) / 2
    return tag("rect", class_=kind, x=x, y=y, width=width, height=BAR, rx=2)


def _frozen(span: Stretch, scale: Scale, top: float, height: float) -> Markup:
    x, width = scale.box(span.begin, span.end)
    title = tag("title", f"frozen from {span.begin:.2f} s{_until(span.end)}")
    return tag("rect", title, class_="frozen", x=x, y=top, width=width, height=height)


def _until(end: float | None) -> str:
    return "" if end is None else f" to {end:.2f} s"


# --- marks ----------------------------------------------------------------------------


def _shown(lane: Lane) -> list[Mark]:
    return [mark for mark in lane.marks if mark.kind in SHAPES]


def _beside(mark: Mark, lane: Lane, middle: float) -> float:
    """Return how high a mark is: heartbeats run along under the last row of bars."""
    if mark.kind is Kind.BEAT:
        return middle - ROW / 2 + _height(lane) + BETWEEN / 4
    if lane.name == STORE:
        return middle + ROW * (lane.marks.index(mark) % 2)
    return middle + ROW * _row_of(mark, lane)


def _row_of(mark: Mark, lane: Lane) -> int:
    """Return the row of the bar that began or ended with this."""
    for bar, row in zip(lane.bars, rows_of(lane.bars), strict=True):
        ended = mark.kind in ENDS and bar.end == mark.at
        begun = mark.kind in BEGINS and 0 <= bar.begin - mark.at < SOON
        if ended or begun:
            return row
    return 0


def _mark(mark: Mark, scale: Scale, y: float) -> Markup:
    x = scale.x(mark.at) + SHIFTS.get(mark.kind, 0.0)
    return tag(
        "g",
        tag("title", f"{mark.at:.2f} s: {mark.text}"),
        tag("circle", class_="hit", r=HIT),
        shape(mark.kind),
        _words(mark, x),
        class_=f"mark {class_of(mark.kind)}",
        transform=f"translate({x:.2f} {y:.2f})",
    )


def _words(mark: Mark, x: float) -> Markup | str:
    """Write what was noted, and can't be known from a shape."""
    if mark.kind is not Kind.NOTE:
        return ""
    late = x > LATE * WIDTH
    anchor = "end" if late else "start"
    return tag("text", mark.text, x=-5 if late else 5, y=4, text_anchor=anchor)


# --- what goes through all lanes ------------------------------------------------------


def _poles(lane: Lane, scale: Scale, bottom: float) -> Markup:
    """Draw what was done to the store across all lanes, for it concerns all."""
    return joined(
        tag("line", class_="pole", x1=x, x2=x, y1=TOP, y2=bottom)
        for x in (scale.x(mark.at) for mark in lane.marks)
    )


def _axis(scale: Scale, bottom: float) -> Markup:
    apart = TICK / (scale.x(1.0) - LEFT)
    seconds = ticks(0.0, scale.span, apart)
    return joined(piece for at in seconds for piece in _tick(at, scale, bottom))


def _tick(second: float, scale: Scale, bottom: float) -> Iterator[Markup]:
    x = scale.x(second)
    yield tag("line", class_="grid", x1=x, x2=x, y1=TOP, y2=bottom)
    yield tag("text", f"{second:g} s", class_="tick", x=x, y=bottom + 13)
