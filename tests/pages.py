"""Reading the pages for users: their code blocks and links."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^]]+\]\((?!https?://)([^)#]+)(?:#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return [text for kind, text in _FENCE.findall(page.read_text()) if kind == language]


def links(page: Path) -> list[str]:
    """Return the targets of all relative links, without their anchors."""
    return _LINK.findall(page.read_text())
