"""What is told of an instance: one line of JSON for each thing that happened.

Decides the words and the line, for both ends of the pipe. Must not know what is made
of them.
"""

import json
import time
from dataclasses import asdict, dataclass, field, fields

from anarchon.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An event of the scheduler, a word of its process, or a deed done to that.

    ``what`` is the event's name, or the word, or the deed; of a call to the store it is
    ``asked`` and then ``answered``, with the answer as ``reason``. ``at`` is the wall
    time of the process, in seconds since 1970 UTC; ``monotonic`` is the machine's,
    which all its processes share. The other fields are those of the event.
    """

    who: str
    pid: int
    at: float
    what: str
    monotonic: float = field(default_factory=time.monotonic)
    job: str = ""
    slot: int = 0
    attempt: int = 0
    reason: str | None = None
    by: str | None = None
    from_instance: str | None = None
    waited: float = 0.0
    cause: str | None = None
    handed_over: bool = False
    final: bool = False
    operation: str | None = None
    error: str | None = None
    offset: float = 0.0

    @staticmethod
    def of(event: Event, pid: int) -> "Report":
        """Return the report of an event."""
        shared = {f.name for f in fields(Report)} & {f.name for f in fields(event)}
        told = {name: getattr(event, name) for name in shared - {"at"}}
        who, at = event.instance_id, event.at.timestamp()
        return Report(who=who, pid=pid, at=at, what=event.name, **told)

    def to_line(self) -> str:
        """Return the line that ``from_line`` reads."""
        return json.dumps(asdict(self)) + "\n"

    @staticmethod
    def from_line(line: str) -> "Report":
        """Return the report that ``to_line`` wrote."""
        return Report(**json.loads(line))

    def __str__(self) -> str:
        told = asdict(self)
        del told["monotonic"]
        who, pid, at, what = (told.pop(n) for n in ("who", "pid", "at", "what"))
        said = " ".join(f"{name}={value}" for name, value in told.items() if value)
        return f"{at:.3f} {who} ({pid}) {what} {said}"
