"""What programs log of their runs, as marks: one line each, in one file for all.

Decides the form of a line. Must not know who writes, and stands on the standard library
alone: the programs of other packages use it in an environment of their own.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What happened to a run: its handler began, or returned, or its end was kept."""

    START = "start"
    END = "end"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Mark:
    """One of these, by wall time, in seconds since 1970 UTC."""

    kind: Kind
    job: str
    pid: int
    at: float


class Marks:
    """The marks in a file, read as it grows."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._position = 0
        self._marks: list[Mark] = []
        file.touch()

    def read(self) -> Sequence[Mark]:
        """Return all that are there by now."""
        with self._file.open("rb") as file:
            file.seek(self._position)
            # a line that is still being written is left for the next time
            whole, _, _ = file.read().rpartition(b"\n")
        if whole:
            self._position += len(whole) + 1
            self._marks += (_parse(line) for line in whole.decode().splitlines())
        return self._marks


class Marker:
    """Makes marks; each is one write to the end of the file, so none are mingled."""

    def __init__(self, file: Path) -> None:
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._pid = os.getpid()

    def mark(self, kind: Kind, job: str) -> None:
        """Tell that this happened just now."""
        line = f"{kind} {job} {self._pid} {time.time():.6f}\n"
        os.write(self._descriptor, line.encode())


def _parse(line: str) -> Mark:
    kind, job, pid, at = line.split(" ")
    return Mark(Kind(kind), job, int(pid), float(at))
