"""What was found of one subject: its slots, in each round, by its instances.

Decides which figures they have. Must not know what is said of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.instances.subjects import Subject
from benchmarks.report import Cell
from benchmarks.run.slots import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a subject came to in all rounds, by how many instances it had."""

    subject: Subject
    slots: Mapping[int, Sequence[Slot]]

    @property
    def name(self) -> str:
        """What the subject is called."""
        return self.subject.name

    def cell(self, count: int, figure: Callable[[Slot], float]) -> Cell:
        """Return a figure of all rounds."""
        return Cell(values=[figure(slot) for slot in self.slots[count]])

    def rate(self, count: int) -> Cell:
        """Return the runs a second until the last start."""
        return self.cell(count, lambda slot: slot.start_rate)

    def rate_once_begun(self, count: int) -> Cell:
        """Return the runs a second from the first start to the last."""
        return self.cell(count, lambda slot: slot.rate_once_begun)

    def first_start(self, count: int) -> Cell:
        """Return the seconds from the slot to the first start."""
        return self.cell(count, lambda slot: slot.first_start)

    def last_start(self, count: int) -> Cell:
        """Return the seconds from the slot to the last start."""
        return self.cell(count, lambda slot: slot.last_start)

    def span(self, count: int) -> Cell:
        """Return the milliseconds from the first start to the last."""
        return self.cell(count, lambda slot: 1e3 * slot.span)

    def cpu(self, count: int) -> Cell:
        """Return the milliseconds of CPU that a run took of all instances together."""
        return self.cell(count, lambda slot: 1e3 * slot.cpu_of_each)

    def server_cpu(self, count: int) -> Cell:
        """Return those that it took of their server."""
        return self.cell(count, lambda slot: 1e3 * slot.server_cpu_of_each)
