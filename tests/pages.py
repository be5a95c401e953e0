"""Reading the pages for users: their code blocks and links."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^]]+\]\((?!https?://)([^)#]*)#?([^)]*)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return [text for kind, text in _FENCE.findall(page.read_text()) if kind == language]


def links(page: Path) -> list[str]:
    """Return the files that relative links lead to."""
    return [file for file, _ in _LINK.findall(page.read_text()) if file]


def sections(page: Path) -> list[tuple[Path, str]]:
    """Return the sections that links lead to, as the page and the anchor in it."""
    found = _LINK.findall(page.read_text())
    return [
        (page.parent / file if file else page, name) for file, name in found if name
    ]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = _HEADING.findall(page.read_text())
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}
