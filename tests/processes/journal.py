"""The journal that all handlers write to: who really ran what, and when.

Decides its lines. It stands in for the systems that handlers write to, and is evidence
that owes nothing to the scheduler's own events and records.
"""

import json
import os
import time
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import anarchon
from tests.lines import whole_lines


class Phase(StrEnum):
    """How far a handler has come."""

    START = "start"
    STEP = "step"
    END = "end"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one handler wrote once.

    ``at`` is the wall time of its process, in seconds since 1970 UTC; ``monotonic`` is
    the machine's, which all its processes share, whatever their wall clocks say.
    """

    who: str
    job: str
    slot: int
    attempt: int
    fence: tuple[int, int] | None
    phase: Phase
    at: float
    monotonic: float

    @property
    def run(self) -> tuple[str, int, int]:
        """Which attempt of which run this is about."""
        return (self.job, self.slot, self.attempt)


class Journal:
    """A file that many processes append to; its lines are in the order of writing."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        self._file = os.open(self.path, flags)

    def write(self, ctx: anarchon.RunContext, phase: Phase) -> None:
        """Append a line by one write, which is whole or not there."""
        line = Line(
            who=ctx.instance_id,
            job=ctx.job,
            slot=ctx.slot,
            attempt=ctx.attempt,
            fence=ctx.fence,
            phase=phase,
            at=time.time(),
            monotonic=time.monotonic(),
        )
        os.write(self._file, (json.dumps(asdict(line)) + "\n").encode())

    def read(self, *phases: Phase) -> list[Line]:
        """Return the lines of these phases, of all if none is named, oldest first."""
        lines = map(_line, whole_lines(Path(self.path)))
        return [line for line in lines if not phases or line.phase in phases]

    def first(self, count: int, phase: Phase) -> list[Line]:
        """Return the first so many lines of a phase, none while there are fewer."""
        lines = self.read(phase)
        return lines[:count] if len(lines) >= count else []

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _line(text: str) -> Line:
    told = json.loads(text)
    fence = told.pop("fence")
    return Line(
        **{**told, "phase": Phase(told["phase"])},
        fence=None if fence is None else tuple(fence),
    )
