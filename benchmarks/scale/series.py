"""How figures grow: the exponent of a power law through the cells of a table's row.

Decides what is a series: figures of a row in columns that are named by a number, such
as ``10,000 jobs``, or ``3 instances, until the end``. Must not know any question.
"""

import math
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.report import Answer, Row, Table

_NUMBERED = re.compile(r"([\d,]+) (\w+?)s?(, .*)?")
# two points lie on any power law
ENOUGH = 3
# what one of them is called, and several
BY = {"job": "jobs", "instance": "instances", "run": "runs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Medians of a row, by the number of jobs, instances or runs: see ``by``."""

    name: str
    by: str
    points: Sequence[tuple[float, float]]

    @property
    def exponent(self) -> float:
        """The power of the number that fits best: 0 is flat, 1 proportional."""
        return _slope(self.points)

    @property
    def last_exponent(self) -> float:
        """The power between the last two points alone."""
        return _slope(self.points[-2:])


def series_of(answer: Answer) -> Iterator[Series]:
    """Yield the series of all tables; floors have none of their own."""
    for table in answer.tables:
        floors = {table.floor, *(row.floor for row in table.rows)}
        for row in table.rows:
            if row.name not in floors:
                yield from _series_of_row(table, row)


def _series_of_row(table: Table, row: Row) -> Iterator[Series]:
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for column, cell in row.cells.items():
        match = _NUMBERED.fullmatch(column)
        if match is None or isinstance(cell, str):
            continue
        number, by = float(match[1].replace(",", "")), BY.get(match[2])
        # a logarithm has no place for zero
        if by is not None and number > 0 and cell.median > 0:
            key = (by, match[3] or "")
            points.setdefault(key, []).append((number, cell.median))
    for (by, rest), found in points.items():
        if len(found) >= ENOUGH:
            yield Series(name=f"{table.title}: {row.name}{rest}", by=by, points=found)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    x, y = zip(*((math.log(x), math.log(y)) for x, y in points), strict=True)
    return statistics.linear_regression(x, y).slope
