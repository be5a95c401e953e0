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

    def span(self, count: int) -> Cell:
        """Return the milliseconds from the first start to the last."""
        return self.cell(count, lambda slot: 1e3 * slot.span)

    def cpu(self, count: int) -> Cell:
        """Return the milliseconds of CPU that a run took of all instances together."""
        return self.cell(count, lambda slot: 1e3 * slot.cpu_of_each)

    def all_cpu(self, count: int) -> Cell:
        """Return those that it took of the whole machine."""
        return self.cell(count, lambda slot: 1e3 * slot.all_cpu_of_each)
