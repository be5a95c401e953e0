"""What an instance's process is told when it is started, as one JSON text.

Decides that text, for both ends. Must not know how a process is started, nor why.
"""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job that takes its time and does nothing else; durations are in seconds."""

    job: str
    every: float
    takes: float
    offset: float = 0.0
    jitter: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One instance: its name, its store, its loop, its lease and its jobs.

    ``remove`` is a temporary folder that is removed if whoever started the instance is
    gone, ``""`` for none. ``lease`` and ``heartbeat`` are in seconds.
    """

    instance_id: str
    store: str
    loop: str
    lease: float
    heartbeat: float
    works: tuple[Work, ...]
    remove: str = ""

    def to_json(self) -> str:
        """Return the text that ``from_json`` reads."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Setup":
        """Return the setup that ``to_json`` wrote."""
        told = json.loads(text)
        works = tuple(Work(**work) for work in told.pop("works"))
        return Setup(**told, works=works)
