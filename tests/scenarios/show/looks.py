"""How each thing on a lane looks as one character, with and without colour.

Decides the glyphs, their plain stand-ins and what the legend says of them.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import IO

from tests.scenarios.show.marks import Kind


class Ground(StrEnum):
    """What a lane is made of where there is no mark."""

    AWAY = "away"
    STARTING = "starting"
    ALIVE = "alive"
    FIRST = "attempt 1"
    LATER = "a later attempt"
    UNOWNED = "goes on, but the run is lost"
    FROZEN = "frozen"


@dataclass(frozen=True, slots=True)
class Look:
    """A glyph, what stands for it where only ASCII can be written, and a style.

    What has no ``meaning`` needs none in the legend.
    """

    glyph: str
    plain: str
    style: str
    meaning: str = ""

    def text(self, *, ascii_only: bool) -> str:
        """Return the character."""
        return self.plain if ascii_only else self.glyph


GROUNDS: Mapping[Ground, Look] = {
    Ground.AWAY: Look(" ", " ", ""),
    Ground.STARTING: Look("┄", "_", "dim"),
    Ground.ALIVE: Look("─", "-", "dim"),
    Ground.FIRST: Look("█", "=", "blue", Ground.FIRST),
    Ground.LATER: Look("▓", "#", "green", Ground.LATER),
    Ground.UNOWNED: Look("▒", "%", "red", Ground.UNOWNED),
    Ground.FROZEN: Look("░", "~", "cyan", Ground.FROZEN),
}

# a takeover and a freeze have none: a number, or a stretch, shows where they begin
MARKS: Mapping[Kind, Look] = {
    Kind.CHECK: Look("·", ".", "dim", "a backup asks"),
    Kind.CLAIM: Look("○", "o", "", "claim, not won"),
    Kind.BEAT: Look("•", "*", "bold", "heartbeat"),
    Kind.UNANSWERED: Look("?", "?", "yellow", "no answer"),
    Kind.WON: Look("●", "@", "bold", "claim, won"),
    Kind.SKIP: Look("⊘", "s", "yellow", "skips the slot"),
    Kind.STOPPED: Look("▼", "v", "bold yellow", "asked to stop"),
    Kind.SUCCESS: Look("✓", "+", "bold green", "success"),
    Kind.FAILURE: Look("F", "F", "bold red", "failure"),
    Kind.INTERRUPTED: Look("/", "/", "bold yellow", "interrupted"),
    Kind.HANDED_OVER: Look("»", ">", "bold yellow", "handed over"),
    Kind.SKEW: Look("≈", "c", "bold yellow", "its clock is off"),
    Kind.NOTE: Look("│", "|", "bold magenta", "noted"),
    Kind.ERROR: Look("E", "E", "bold red", "error"),
    Kind.REFUSED: Look("!", "!", "bold red", "refused"),
    Kind.LOST: Look("L", "L", "bold red", "lost"),
    Kind.KILLED: Look("✗", "X", "bold red", "killed"),
}

ATTEMPT = Look("1", "1", "bold white", "attempt 1, 2, ... starts")


def legend() -> Iterator[Look]:
    """Yield what needs to be explained."""
    yield ATTEMPT
    yield from (look for look in GROUNDS.values() if look.meaning)
    yield from (look for look in MARKS.values() if look.meaning)


def legend_lines(width: int, *, ascii_only: bool) -> Iterator[list[tuple[str, Look]]]:
    """Yield the legend in lines: what is written there, and how it looks."""
    line: list[tuple[str, Look]] = []
    used = 0
    for look in legend():
        text = f"{look.text(ascii_only=ascii_only)} {look.meaning}   "
        if used + len(text) > width:
            yield line
            line, used = [], 0
        line.append((text, look))
        used += len(text)
    yield line


def can_write_glyphs(file: IO[str] | None = None) -> bool:
    """Tell whether all glyphs can be written there, by default to standard output."""
    encoding = getattr(file or sys.stdout, "encoding", None) or "ascii"
    glyphs = "".join(look.glyph for look in (*GROUNDS.values(), *MARKS.values()))
    try:
        glyphs.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
