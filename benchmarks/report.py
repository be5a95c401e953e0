"""What a question was answered with: tables, goals, plots, and how it was had.

Decides what is kept, as JSON, so that the page can be made again from it. Must not know
any question, nor what the page looks like.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

RESULTS = Path(__file__).parent / "results"
# so many of the rounds have to be on one side of a goal
AGREE = 0.9


class Verdict(StrEnum):
    """What came of a goal."""

    MET = "met"
    MISSED = "missed"
    CLOSE = "too close to tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure, measured once in each round."""

    values: Sequence[float]

    @property
    def median(self) -> float:
        """The figure of the middle round."""
        return statistics.median(self.values)

    def over(self, floor: "Cell") -> "Cell":
        """Return how many times the floor of its own round each figure is."""
        pairs = zip(self.values, floor.values, strict=True)
        return Cell(values=[value / least for value, least in pairs])

    def minus(self, other: "Cell") -> "Cell":
        """Return by how much each figure is above the other one of its round."""
        pairs = zip(self.values, other.values, strict=True)
        return Cell(values=[value - less for value, less in pairs])


def once(value: float) -> Cell:
    """Return a figure that was counted, or measured but once."""
    return Cell(values=[value])


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A subject and its figures by column; a text stands where no figure can.

    ``floor`` names a row of the same table, if it isn't the floor of the whole table.
    """

    name: str
    cells: Mapping[str, Cell | str]
    floor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Figures side by side, all of one ``unit`` unless the columns name theirs.

    ``text`` says what was measured, and how; ``notes`` what is seen in it. If ``floor``
    names a row, the others are also told as so many times that.
    """

    title: str
    text: str
    rows: Sequence[Row]
    unit: str = ""
    floor: str | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A limit that a figure ought to keep; ``at_least`` turns it round.

    ``measured`` is the median of the ``rounds``, if there were any; ``unit`` is that of
    all. ``holds_back`` says, by what was measured, why it is missed; ``remark`` what
    else one has to know, even if it is kept.
    """

    text: str
    measured: float
    limit: float
    rounds: Sequence[float] = ()
    remark: str = ""
    unit: str = ""
    at_least: bool = False
    holds_back: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the figure keeps the limit; nearly all rounds must say the same."""
        kept = self._keeps(self.measured)
        alike = sum(self._keeps(figure) == kept for figure in self.rounds)
        if alike < AGREE * len(self.rounds):
            return Verdict.CLOSE
        return Verdict.MET if kept else Verdict.MISSED

    def _keeps(self, figure: float) -> bool:
        return figure >= self.limit if self.at_least else figure <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Lines of points over a common axis; if ``logarithmic``, on both axes."""

    name: str
    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    logarithmic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a question comes back with.

    ``findings`` are its main figures, in sentences; ``ahead`` says of each peer that is
    ahead of anarchon in something, in what.
    """

    tables: Sequence[Table]
    findings: Sequence[str] = ()
    ahead: Sequence[str] = ()
    goals: Sequence[Goal] = ()
    plots: Sequence[Plot] = ()

    def median(self, row: str, column: str, table: str | None = None) -> float | None:
        """Return a figure by its row and column, of the table of that title or of any.

        There is none if it wasn't measured.
        """
        cells = (
            each.cells.get(column)
            for some in self.tables
            for each in some.rows
            if each.name == row and some.title == (table or some.title)
        )
        return next((cell.median for cell in cells if isinstance(cell, Cell)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An answer, with where, when and by which command it was had."""

    question: str
    title: str
    command: str
    day: str
    machine: Sequence[str]
    versions: Mapping[str, str]
    answer: Answer

    def write(self, folder: Path = RESULTS) -> None:
        """Keep it as JSON, in place of the one before."""
        kept = _REPORTS.dump_json(self, indent=1)
        (folder / f"{self.question}.json").write_bytes(kept + b"\n")

    @classmethod
    def read(cls, file: Path) -> "Report":
        """Return what was kept."""
        return _REPORTS.validate_json(file.read_bytes())


_REPORTS = TypeAdapter(Report)
