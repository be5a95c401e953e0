"""How a table and its goals are written, as Markdown.

Decides how figures, spreads and ratios look. Must not know any question.
"""

from collections.abc import Iterator, Sequence

from benchmarks.report import Cell, Goal, Row, Table
from benchmarks.words import number


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
    """Yield a table of goals, and what holds back those that are missed."""
    yield from _head("goal", "limit", "measured", "met")
    for goal in goals:
        met = "yes" if goal.met else "**no**"
        yield row_line(goal.text, limit(goal), measured(goal), met)
    for goal in goals:
        if not goal.met and goal.holds_back:
            yield f"\nMissed: {goal.text}. {goal.holds_back}"


def limit(goal: Goal) -> str:
    """Return what a goal asks for."""
    bound = "at least" if goal.at_least else "at most"
    return f"{bound} {_with_unit(goal.limit, goal)}"


def measured(goal: Goal) -> str:
    """Return what was found instead, or as asked."""
    return _with_unit(goal.measured, goal)


def row_line(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def _head(first: str, *columns: str) -> Iterator[str]:
    yield row_line(first, *columns)
    yield row_line("---", *("---:" for _ in columns))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _with_unit(value: float, goal: Goal) -> str:
    return f"{number(value)} {goal.unit}".rstrip()


def _floor(table: Table, row: Row) -> Row | None:
    name = row.floor or table.floor
    return next((other for other in table.rows if other.name == name), None)


def _cell(row: Row, column: str, floor: Row | None) -> str:
    value = row.cells.get(column, "")
    if isinstance(value, str):
        return value
    least = floor.cells.get(column) if floor is not None and floor is not row else None
    if not isinstance(least, Cell):
        return _spread(value)
    return f"{_spread(value)}: {_spread(value.over(least))} times"


def _spread(cell: Cell) -> str:
    least, most = min(cell.values), max(cell.values)
    if len(cell.values) == 1 or least == most:
        return number(cell.median)
    return f"**{number(cell.median)}** ({number(least)} to {number(most)})"
