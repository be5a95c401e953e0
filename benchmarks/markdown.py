"""How a table and its goals are written, as Markdown.

Decides how figures, spreads and ratios look. Must not know any question.
"""

from collections.abc import Iterator, Sequence

from benchmarks.report import Cell, Goal, Row, Table, Verdict
from benchmarks.words import number

_VERDICTS = {
    Verdict.MET: "met",
    Verdict.MISSED: "**missed**",
    Verdict.CLOSE: "**too close to tell**",
}


def table_lines(table: Table) -> Iterator[str]:
    """Yield a table, with the text before it and the notes after it."""
    yield f"## {table.title}\n"
    yield f"{_in_one_line(table.text)}\n"
    columns = list(dict.fromkeys(name for row in table.rows for name in row.cells))
    yield from _head(table.unit, *columns)
    for row in table.rows:
        cells = (_cell(row, column, _floor(table, row)) for column in columns)
        yield row_line(row.name, *cells)
    for note in table.notes:
        yield f"\n{note}"


def goal_lines(goals: Sequence[Goal]) -> Iterator[str]:
    """Yield a table of goals, what there is to know, and what holds some back."""
    yield from _head("goal", "limit", "measured", "")
    for goal in goals:
        verdict = _VERDICTS[goal.verdict]
        yield row_line(goal.text, limit(goal), measured(goal), verdict)
    for goal in goals:
        remarks = [goal.remark]
        if goal.verdict is not Verdict.MET:
            remarks.append(goal.holds_back)
        if any(remarks):
            text = " ".join(remark for remark in remarks if remark)
            yield f"\n{goal.text[0].upper()}{goal.text[1:]}: {goal.verdict}. {text}"


def limit(goal: Goal) -> str:
    """Return what a goal asks for."""
    bound = "at least" if goal.at_least else "at most"
    return f"{bound} {number(goal.limit)} {goal.unit}".rstrip()


def measured(goal: Goal) -> str:
    """Return what was found instead, or as asked."""
    figure = spread(Cell(values=goal.rounds)) if goal.rounds else number(goal.measured)
    return f"{figure} {goal.unit}".rstrip()


def row_line(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def _head(first: str, *columns: str) -> Iterator[str]:
    yield row_line(first, *columns)
    yield row_line("---", *("---:" for _ in columns))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _floor(table: Table, row: Row) -> Row | None:
    name = row.floor or table.floor
    return next((other for other in table.rows if other.name == name), None)


def _cell(row: Row, column: str, floor: Row | None) -> str:
    value = row.cells.get(column, "")
    if isinstance(value, str):
        return value
    least = floor.cells.get(column) if floor is not None and floor is not row else None
    if not isinstance(least, Cell):
        return spread(value)
    return f"{spread(value)}: {spread(value.over(least))} times"


def spread(cell: Cell) -> str:
    """Return the median of the rounds, with the least and the most of them."""
    least, most = min(cell.values), max(cell.values)
    if len(cell.values) == 1 or least == most:
        return number(cell.median)
    return f"**{number(cell.median)}** ({number(least)} to {number(most)})"
