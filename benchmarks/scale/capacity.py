"""What a server and instances carry, on paper: what calls take, how many a run needs.

Decides the arithmetic, and where its numbers stand in the answers to other questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.load.question import CALLS_TITLE, WORDS, row_name
from benchmarks.report import Answer
from benchmarks.run.question import COUNTS, cpu_title
from benchmarks.scale.served_time import CLAIM, DONE, FINISH, HEARTBEAT, TAKEN
from benchmarks.words import counted, number

US, MS = 1e6, 1e3
# seconds over which claims are spread: of a shorter run most find that it has ended
JITTER = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How many calls of one kind a run needs, and the seconds that one takes."""

    title: str
    calls: float
    seconds: float

    def __str__(self) -> str:
        return f"{number(self.calls)} {self.title} x {number(self.seconds * US)} us"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What the calls of a run take together."""

    parts: Sequence[Part]

    @property
    def seconds(self) -> float:
        """For how long a run keeps the store busy."""
        return sum(part.calls * part.seconds for part in self.parts)

    @property
    def runs(self) -> float:
        """How many runs a second keep it busy all the time."""
        return 1 / self.seconds

    def __str__(self) -> str:
        parts = " + ".join(str(part) for part in self.parts if part.calls)
        total = number(self.seconds * US)
        return f"{parts} = {total} us; 1 s / {total} us = {number(self.runs)}"


def capacity(
    load: Answer | None, seconds: Mapping[str, float], takes: float, many: int
) -> Capacity | None:
    """Return what is carried with so many instances, if their calls were counted."""
    calls = {word: _calls(load, takes, title, many) for word, title in WORDS.items()}
    known = {word: count for word, count in calls.items() if count is not None}
    if len(known) < len(WORDS):
        return None
    needed = {
        "claim granted": (1.0, CLAIM),
        "claims refused": (known["claim"] - 1, DONE if takes < JITTER else TAKEN),
        # one that finds the lease alive is refused as well
        WORDS["check"]: (known["check"], TAKEN),
        WORDS["heartbeat"]: (known["heartbeat"], HEARTBEAT),
        "finish": (known["finish"], FINISH),
    }
    return Capacity(
        parts=[
            Part(title=title, calls=count, seconds=seconds[word])
            for title, (count, word) in needed.items()
        ]
    )


def runs_of_instances(run: Answer | None, subject: str, many: int) -> float | None:
    """Return how many runs a second keep each of so many instances computing.

    Nothing if nobody measured what their runs take; those were of no length.
    """
    if run is None:
        return None
    few, more = (run.median(subject, cpu_title(count)) for count in COUNTS)
    if few is None or more is None:
        return None
    # what one more takes, which asks as well, and doesn't win
    beside = (more - few) / (COUNTS[1] - COUNTS[0])
    return many * MS / (few + beside * (many - COUNTS[0]))


def server_row(store: str, takes: float) -> str:
    """Return the name of the row for what a server carries of such runs."""
    return f"{store}, the server: runs of {takes:g} s"


def _calls(load: Answer | None, takes: float, title: str, many: int) -> float | None:
    if load is None:
        return None
    return load.median(row_name(takes, title), counted(many, "instance"), CALLS_TITLE)
