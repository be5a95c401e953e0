"""What the marks of a timeline are drawn like: small shapes about their middle.

Decides their form; their colour is a matter of style. Each is defined once in a page.
"""

from collections.abc import Iterator, Mapping

from tests.scenarios.show.marks import Kind
from tests.scenarios.show.markup import Markup, tag

DOT = "M-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z"
DISC = "M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z"
RING = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
CROSS = "M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5"
SLASH = "M3 -4.5L-3 4.5"
TICK = "M-4.5 0L-1.5 3.5L4.5 -4.5"
SHOUT = "M0 -5.5V1M0 3.6V4.8"
ASK = "M-2.6 -3a2.6 2.6 0 1 1 3.8 2.3c-1 .6 -1.2 1.1 -1.2 2.2M0 3.8V5"
DOUBLE = "M-4 -4L0 0L-4 4M1 -4L5 0L1 4"
DOWN = "M-4.5 -3H4.5L0 4.5z"
BROKEN_RING = "M-4 -1.5A4.2 4.2 0 0 1 4 -1.5M4 1.5A4.2 4.2 0 0 1 -4 1.5"
WAVES = "M-5 -1.5q2.5 -3 5 0t5 0M-5 2.5q2.5 -3 5 0t5 0"
POLE = "M0 -7V7"
UP_ARROW = "M0 5V-4M-3.5 -1L0 -5L3.5 -1"

SHAPES: Mapping[Kind, str] = {
    Kind.CHECK: DOT,
    Kind.CLAIM: RING,
    Kind.BEAT: DISC,
    Kind.UNANSWERED: ASK,
    Kind.WON: DISC,
    Kind.SKIP: RING + SLASH,
    Kind.STOPPED: DOWN,
    Kind.SUCCESS: TICK,
    Kind.FAILURE: SHOUT,
    Kind.INTERRUPTED: SLASH,
    Kind.TAKEOVER: UP_ARROW,
    Kind.HANDED_OVER: DOUBLE,
    Kind.SKEW: WAVES,
    Kind.NOTE: POLE,
    Kind.ERROR: ASK,
    Kind.REFUSED: SHOUT,
    Kind.LOST: BROKEN_RING,
    Kind.KILLED: CROSS,
}


def class_of(kind: Kind) -> str:
    """Return a kind of mark as a name for styles."""
    return kind.replace(" ", "-")


def definitions() -> Markup:
    """Return all shapes, not to be seen where they are defined."""
    shapes = (
        tag("path", id=f"mark-{class_of(kind)}", d=path)
        for kind, path in SHAPES.items()
    )
    return tag("svg", tag("defs", shapes), class_="hidden", aria_hidden="true")


def shape(kind: Kind) -> Iterator[Markup]:
    """Yield the shape of a mark, if it has one."""
    if kind in SHAPES:
        yield tag("use", href=f"#mark-{class_of(kind)}")
