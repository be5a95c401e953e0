"""The page of all results: ``README.md``, made from what is kept, by no hand.

Decides what comes first, and what each section holds. Must not know any question.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.markdown import goal_lines, limit, measured, row_line, table_lines
from benchmarks.plot import draw
from benchmarks.report import RESULTS, Cell, Report
from benchmarks.words import counted

HERE = Path(__file__).parent
PLOTS = HERE / "plots"
PAGE = HERE / "README.md"
# in the order of the page
ORDER = ("claim", "run", "latency", "takeover", "load", "process", "scale")

INTRODUCTION = """# Benchmarks

What a slot costs, how fast runs move, how late they start, what a lost instance delays,
and how all of it grows. Peers are measured beside anarchon wherever they do the same.
"""
METHOD = """## How to read it

This page is made by `python -m benchmarks` from the files in `results/`: every number
was measured, by the command that stands at the end of its section, with the machine and
the versions. What is compared takes turns in one run, in several rounds, every other
one of which goes backwards. A figure is the **median** of the rounds, with the least
and the most of them in parentheses; one that stands alone was counted or measured once.
A floor is the least that could be asked for in place of what is measured; how many
times its floor a figure is, is the median of the ratios within each round. Compare
figures within a table: from machine to machine, and from day to day, they differ by
more than most of the differences here.

```sh
.venv/bin/nox -s bench
.venv/bin/nox -s bench -- claim latency
.venv/bin/nox -s bench -- --quick
```

The first measures all again, the second some of it. The last only finds out whether
everything still runs, and keeps nothing.
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
    summary = "\n".join(_summary(reports))
    sections = ("\n".join(_section(report)) for report in reports)
    return "\n".join([INTRODUCTION, summary, METHOD, *sections])


def _kept() -> list[Report]:
    files = (RESULTS / f"{name}.json" for name in ORDER)
    return [Report.read(file) for file in files if file.exists()]


def _summary(reports: Sequence[Report]) -> Iterator[str]:
    yield "## In short\n"
    yield row_line("question", "found", "goals met")
    yield row_line("---", "---", "---:")
    for report in reports:
        findings = "<br>".join(report.answer.findings)
        yield row_line(_link(report, report.title), findings, _goals_met(report))
    yield from _listed("Goals that are missed", _missed(reports))
    yield from _listed("Where a peer is ahead", _ahead(reports))
    yield ""


def _goals_met(report: Report) -> str:
    goals = report.answer.goals
    return f"{sum(goal.met for goal in goals)} of {len(goals)}" if goals else ""


def _missed(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        for goal in report.answer.goals:
            if not goal.met:
                found = f"{measured(goal)}; the goal is {limit(goal)}"
                yield f"{goal.text}: {found} ({_link(report, 'why')})"


def _ahead(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        for peer in report.answer.ahead:
            yield f"{peer} ({_link(report, 'where')})"


def _listed(title: str, items: Iterator[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    if lines:
        yield "\n".join([f"\n{title}:\n", *lines])


def _link(report: Report, text: str) -> str:
    return f"[{text}](#{report.title.lower().replace(' ', '-')})"


def _section(report: Report) -> Iterator[str]:
    answer = report.answer
    yield f"## {report.title}\n"
    for table in answer.tables:
        yield from table_lines(table)
        yield ""
    for plot in answer.plots:
        yield f"![{plot.title}](plots/{plot.name}.svg)\n"
    if answer.goals:
        yield from goal_lines(answer.goals)
        yield ""
    versions = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    yield f"`{report.command}`, {report.day}{_rounds(report)}."
    yield f"{'; '.join(report.machine)}. {versions}.\n"


def _rounds(report: Report) -> str:
    cells = (
        cell
        for table in report.answer.tables
        for row in table.rows
        for cell in row.cells.values()
    )
    most = max(
        (len(cell.values) for cell in cells if isinstance(cell, Cell)), default=1
    )
    return f", {counted(most, 'round')}" if most > 1 else ""
