"""What the claimers of a race write down: each claim before it is sent, and its fate.

Decides the lines. They are evidence that owes nothing to the store, and outlive
whoever wrote them.
"""

import os
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from tests.lines import whole_lines


class Fate(StrEnum):
    """What becomes of a claim, in the order in which it may happen."""

    ASKED = "asked"
    UNKNOWN = "unknown"
    WON = "won"
    FINISHED = "finished"


class Line(NamedTuple):
    """One thing that became of one claim."""

    fate: Fate
    slot: int
    token: str


class RaceJournal:
    """The file of one process; what was written is there, however the process ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, fate: Fate, slot: int, token: str) -> None:
        """Append a line by one write, which is whole or not there."""
        os.write(self._file, f"{fate} {slot} {token}\n".encode())

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def read_lines(path: Path) -> list[Line]:
    """Return what a process wrote, oldest first."""
    words = (line.split(" ") for line in whole_lines(path))
    return [Line(Fate(fate), int(slot), token) for fate, slot, token in words]


def count_asked(path: Path) -> int:
    """Return how many claims a process has written down by now."""
    return path.read_bytes().count(b"asked")
