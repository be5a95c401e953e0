"""HTML and SVG, element by element.

Decides that no text gets into it unescaped.
"""

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | Iterable[str]

# elements of HTML that have no end
VOID = {"meta"}


def tag(name: str, /, *children: Child, **attributes: str | float) -> Markup:
    """Return an element; children that aren't markup are escaped.

    An attribute's name may end in an underscore, and has ``_`` for ``-``.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
    )
    if name in VOID:
        return Markup(f"<{name}{told}>")
    return Markup(f"<{name}{told}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Return several pieces as one, with what isn't markup escaped."""
    flat = (
        piece
        for child in children
        for piece in ([child] if isinstance(child, str) else child)
    )
    return Markup(
        "".join(one if isinstance(one, Markup) else escape(one) for one in flat)
    )


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
