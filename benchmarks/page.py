"""The page of all results: ``README.md``, made from what is kept, by no hand.

Decides how a figure, a table, a goal is written. Must not know any question.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.plot import draw
from benchmarks.report import RESULTS, Cell, Goal, Report, Row, Table

HERE = Path(__file__).parent
PLOTS = HERE / "plots"
PAGE = HERE / "README.md"
# in the order of the page
ORDER = ("claim", "run", "latency", "takeover", "load", "process", "scale")
# in running text, with all digits up to here
DIGITS = 3
LARGE = 1_000

INTRODUCTION = """# Benchmarks

Made by `python -m benchmarks` from `results/`: every number was measured by the command
beside it. All subjects of a table take turns in one run, on one machine, in
several rounds; a figure is that of the median round, with the least and the most of all
rounds in parentheses. What is told as so many times a floor is the median of the ratios
within each round. Compare figures within a table: from machine to machine, and from day
to day, they differ by more than most of the differences here.

```sh
.venv/bin/nox -s bench
.venv/bin/nox -s bench -- claim latency
.venv/bin/nox -s bench -- --quick
```
"""


def write_page() -> None:
    """Make the page and its plots anew from the results."""
    reports = _kept()
    PLOTS.mkdir(exist_ok=True)
    for report in reports:
        for plot in report.answer.plots:
            draw(plot, PLOTS / f"{plot.name}.svg")
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the text of the page, by the results."""
    reports = _kept()
    contents = "\n".join(map(_entry, reports)) + "\n"
    return "\n".join([INTRODUCTION, contents, *map(_section, reports)])


def _kept() -> list[Report]:
    files = (RESULTS / f"{name}.json" for name in ORDER)
    return [Report.read(file) for file in files if file.exists()]


def _entry(report: Report) -> str:
    goals = report.answer.goals
    met = sum(goal.met for goal in goals)
    told = f": {met} of {len(goals)} goals met" if goals else ""
    anchor = report.title.lower().replace(" ", "-")
    return f"- [{report.title}](#{anchor}){told}"


def _section(report: Report) -> str:
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    answer = report.answer
    yield f"## {report.title}\n"
    for table in answer.tables:
        yield from table_lines(table)
        yield ""
    for plot in answer.plots:
        yield f"![{plot.title}](plots/{plot.name}.svg)\n"
    for goal in answer.goals:
        yield f"- {_goal(goal)}"
    if answer.goals:
        yield ""
    versions = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    yield f"`{report.command}`, {report.day}, {report.rounds} rounds."
    yield f"{'; '.join(report.machine)}. {versions}.\n"


def table_lines(table: Table) -> Iterator[str]:
    """Yield a table as Markdown, with the text before it and the notes after it."""
    yield f"### {table.title}\n"
    yield f"{table.text}\n"
    columns = list(dict.fromkeys(name for row in table.rows for name in row.cells))
    yield _line(f"{table.unit}", *columns)
    yield _line("---", *("---:" for _ in columns))
    for row in table.rows:
        cells = (_cell(row, column, _floor(table, row)) for column in columns)
        yield _line(row.name, *cells)
    for note in table.notes:
        yield f"\n{note}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


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


def number(value: float) -> str:
    """Return a number with as many digits as can be meant."""
    if abs(value) >= LARGE:
        return f"{value:,.0f}"
    if value == int(value):
        return f"{value:.0f}"
    return f"{value:.{DIGITS}g}"


def _goal(goal: Goal) -> str:
    limit = f"{'at least' if goal.at_least else 'at most'} {number(goal.limit)}"
    found = f"{number(goal.measured)}{goal.unit and ' ' + goal.unit}"
    why = f". {goal.holds_back}" if goal.holds_back and not goal.met else ""
    met = "met" if goal.met else "**missed**"
    return f"Goal: {goal.text}: {limit}; {met}, with {found}{why}"
