"""What is known of the runs by hand in a play, apart from those of slots.

Decides which of a tale's acts, events and records are theirs. Must not know what ought
to have happened. Instants are the loop's time, in seconds.
"""

from dataclasses import dataclass, field
from math import inf

from anarchon.events import Event, Failure, Interrupted, Start, Success
from anarchon.model import Reason, RunRecord
from anarchon.testing.journal import Entry
from property_tests.clusters.plans import Ask
from property_tests.clusters.tale import Act, Tale


@dataclass(slots=True, kw_only=True)
class Asked:
    """A call of ``run_now`` on ``who``, and what came of it.

    ``refused`` says that the scheduler wasn't started.
    """

    ask: Ask
    who: str
    began: float
    ended: float = inf
    record: RunRecord | None = None
    refused: bool = False

    @property
    def cancelled(self) -> float:
        """When the caller was cancelled, if it still waited then."""
        return self.began + self.ask.gives_up


@dataclass(kw_only=True)
class TaleOfBoth(Tale):
    """A tale whose acts, events and records are those of slots; these are by hand."""

    asked: list[Asked] = field(default_factory=list[Asked])
    manual_acts: list[Act] = field(default_factory=list[Act])
    manual_events: list[Entry[Event]] = field(default_factory=list[Entry[Event]])
    manual_records: list[RunRecord] = field(default_factory=list[RunRecord])

    def part(self) -> None:
        """Put aside what is by hand, once everything was written down."""
        self.manual_acts = [a for a in self.acts if a.ctx.reason is Reason.MANUAL]
        self.acts = [a for a in self.acts if a.ctx.reason is not Reason.MANUAL]
        self.manual_events = [e for e in self.events if _is_manual(e.what)]
        self.events = [e for e in self.events if not _is_manual(e.what)]
        self.manual_records = [record for record in self.records if record.manual]
        self.records = [record for record in self.records if not record.manual]


def _is_manual(event: Event) -> bool:
    match event:
        case Start():
            return event.reason is Reason.MANUAL
        case Success() | Failure() | Interrupted():
            return event.record.manual
        case _:
            return False
