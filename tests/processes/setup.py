"""What the process of an instance is told when it is to begin, as one line of JSON.

Decides that line, for both ends of the pipe. Must not know what is tested.
"""

import json
from dataclasses import asdict, dataclass
from typing import TypedDict

from anarchon.opening import SchedulerOptions
from anarchon.options import JobOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """What a handler does: it takes its time, in steps, both in seconds.

    One that is ``deaf`` goes on although it is cancelled.
    """

    takes: float = 0.0
    step: float = 0.05
    deaf: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job: its name, its grid in seconds, what its handler does, its options."""

    job: str
    every: float
    offset: float
    handler: Handler
    options: JobOptions


class Changes(TypedDict, total=False):
    """What is special about the setup of one instance."""

    store: str
    works: tuple[Work, ...]
    slow: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One instance: its store, the journal, its jobs and its options.

    Without ``serve`` the program is one that knows nothing of signals. One that
    ``tells_calls`` reports each call to the store; a claim's answer is ``slow``: it
    comes so many seconds late. ``first`` names a function, as ``module:name``, that is
    called before anything else.
    """

    store: str
    journal: str
    works: tuple[Work, ...]
    options: SchedulerOptions
    serve: bool = True
    tells_calls: bool = False
    slow: float = 0.0
    first: str = ""

    def to_line(self) -> str:
        """Return the line that ``from_line`` reads."""
        return json.dumps(asdict(self)) + "\n"

    @staticmethod
    def from_line(line: str) -> "Setup":
        """Return the setup that ``to_line`` wrote."""
        told = json.loads(line)
        works = tuple(
            Work(**{**work, "handler": Handler(**work["handler"])})
            for work in told.pop("works")
        )
        return Setup(**told, works=works)
