"""What is told of an instance: one JSON line for each thing that happened.

Decides the words and the lines, for both ends of the pipe. Must not know what is made
of them.
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened: a deed, a word of the process, or an event of its scheduler."""

    SPAWNED = "spawned"
    KILLED = "killed"
    FROZEN = "frozen"
    THAWED = "thawed"
    STOPPED = "stopped"
    EXITED = "exited"

    READY = "ready"
    PROGRESS = "progress"

    START = "start"
    SUCCESS = "success"
    FAILURE = "failure"
    INTERRUPTED = "interrupted"
    LOST = "lost"
    SKIP = "skip"
    TAKEOVER = "takeover"
    ERROR = "error"
    CLOCK_SKEW = "clock_skew"


DEEDS = (
    Kind.SPAWNED,
    Kind.KILLED,
    Kind.FROZEN,
    Kind.THAWED,
    Kind.STOPPED,
    Kind.EXITED,
)
WORDS = (Kind.READY, Kind.PROGRESS)
EVENTS = tuple(kind for kind in Kind if kind not in (*DEEDS, *WORDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Something that an instance did, or that was done to its process.

    ``at`` is the machine's wall time, in seconds since 1970 UTC. ``share`` is how much
    of a handler's work is done, 0 to 1; ``exit_status`` is negative for a signal. The
    other fields are those of the scheduler's events, where the event has them.
    """

    instance_id: str
    at: float
    kind: Kind
    job: str | None = None
    slot: int = 0
    attempt: int = 0
    reason: str | None = None
    cause: str | None = None
    operation: str | None = None
    error: str | None = None
    from_instance: str | None = None
    handed_over: bool = False
    final: bool = False
    share: float = 0.0
    pid: int = 0
    exit_status: int = 0

    def to_line(self) -> str:
        """Return the line that ``from_line`` reads, without its end."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_line(line: bytes) -> "Report | None":
        """Return what a line reports, ``None`` if it is something else."""
        try:
            told = json.loads(line)
            kind = Kind(told.pop("kind"))
            return Report(**told, kind=kind)
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
