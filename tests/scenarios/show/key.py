"""What bars and marks mean, beside a sample of each."""

from collections.abc import Iterator

from tests.scenarios.show.looks import GROUNDS, MARKS, Ground
from tests.scenarios.show.markup import Markup, tag
from tests.scenarios.show.shapes import SHAPES, class_of, shape

BOXES = {
    Ground.FIRST: "first",
    Ground.LATER: "later",
    Ground.UNOWNED: "unowned",
    Ground.FROZEN: "frozen",
}
TAKES_OVER = "takes over"


def key_of_marks() -> Markup:
    """Return the list."""
    return tag("ul", _items(), class_="legend")


def _items() -> Iterator[Markup]:
    for ground, kind in BOXES.items():
        box = tag("rect", class_=kind, x=-9, y=-7, width=18, height=14, rx=2)
        yield _item(box, GROUNDS[ground].meaning)
    for kind in SHAPES:
        mark = tag("g", shape(kind), class_=f"mark {class_of(kind)}")
        meaning = MARKS[kind].meaning if kind in MARKS else TAKES_OVER
        yield _item(mark, meaning)


def _item(sample: Markup, meaning: str) -> Markup:
    return tag("li", tag("svg", sample, viewBox="-11 -9 22 18"), meaning)
