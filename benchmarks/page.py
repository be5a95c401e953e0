"""The pages of all results, made from what is kept, by no hand.

Decides what is on which: the first page has what a reader wants to know at once, each
question's folder a page with all its tables. Must not know what a figure means.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.markdown import goal_lines, limit, measured, row_line, table_lines
from benchmarks.overview import overview_lines
from benchmarks.plot import draw
from benchmarks.report import RESULTS, Cell, Report, Verdict

HERE = Path(__file__).parent
PLOTS = HERE / "plots"
NAME = "README.md"
# in the order of the first page
ORDER = ("claim", "run", "latency", "takeover", "load", "process", "scale")

INTRODUCTION = """# Benchmarks

What a slot costs, how fast runs move, how late they start, what a lost instance delays,
and how all of it grows. Beside anarchon stand packages that a user would take instead,
wherever they do the same: those with a scheduler of their own for asyncio that keep
their jobs in PostgreSQL or Redis. Each link leads to all tables of a question.
"""
OVERVIEW = """The figures are medians, on two cores that instances and servers share.
More instances don't make a service faster; they make it safer. What else a store costs,
and other stores, are with the questions below."""
METHOD = """## How to read it

These pages are made by `python -m benchmarks` from the files in `results/`: every
number was measured, by the command at the end of its page, with the machine and the
versions there.

- What is compared takes turns, in several rounds, every other one of which goes
  backwards. A figure is the **median** of the rounds, with the least and the most of
  them in parentheses; one that stands alone was counted or measured once.
- A *floor* is the bare call that one's own code could make in place of what is asked.
  How many times its floor a figure is, is the median of the ratios within each round.
- Instances, servers and peers share the two cores of one machine: three instances show
  what they cost, not what three machines would do. Compare figures within a table: from
  machine to machine, and from day to day, they differ by more than most of the
  differences here.
- Starts, and runs a second, are measured with `jitter=0`. By default it is two seconds,
  and a run starts up to that much after its slot, on purpose: that spreads the work of
  jobs which are due at the same time.
- Goals were set before anything was measured. One that nine of ten rounds don't agree
  about is too close to tell. A claim ought to cost little more than the bare call that
  it can't do without; a burst to be over within seconds; a start to be no later than
  one would notice; a lost run to begin again as soon as it can be known to be lost;
  and no package with fewer promises to be much faster without a reason.
- The peers are those with a scheduler of their own on asyncio which keeps its jobs in
  PostgreSQL or Redis. APScheduler 4 is there as a pre-release, since version 3 lets no
  two instances share a store; Celery's beat isn't, since it must not run twice.

```sh
.venv/bin/nox -s bench
.venv/bin/nox -s bench -- claim latency
.venv/bin/nox -s bench -- --quick
```

The first measures all again, in three quarters of an hour, and the second some of it;
both put what they find in place of what is kept. The last, in two minutes, only finds
out whether the measurements still run, with two packages of each kind, and keeps
nothing.
"""


def write_pages() -> None:
    """Make the pages and their plots anew from the results."""
    PLOTS.mkdir(exist_ok=True)
    for report in _kept():
        for plot in report.answer.plots:
            draw(plot, PLOTS / f"{plot.name}.svg")
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


def pages() -> Mapping[Path, str]:
    """Return the text of each page, by the results."""
    reports = _kept()
    return {
        HERE / NAME: _first(reports),
        **{HERE / each.question / NAME: _whole(each) for each in reports},
    }


def _first(reports: Sequence[Report]) -> str:
    summary = "\n".join(_summary(reports))
    sections = ("\n".join(_section(report)) for report in reports)
    return "\n".join([INTRODUCTION, summary, METHOD, *sections])


def _kept() -> list[Report]:
    files = (RESULTS / f"{name}.json" for name in ORDER)
    return [Report.read(file) for file in files if file.exists()]


def _summary(reports: Sequence[Report]) -> Iterator[str]:
    yield "## In short\n"
    yield from overview_lines({report.question: report.answer for report in reports})
    yield f"\n{OVERVIEW}"
    yield from _listed("Where another package is ahead", _ahead(reports))
    yield from _listed(_goals_missed(reports), _missed(reports))
    yield "\n## What was found\n"
    yield row_line("question", "found", "goals met")
    yield row_line("---", "---", "---:")
    for report in reports:
        findings = "<br>".join(report.answer.findings)
        yield row_line(_link(report, report.title), findings, _goals_met(report))
    yield ""


def _goals_missed(reports: Sequence[Report]) -> str:
    goals = [goal for report in reports for goal in report.answer.goals]
    missed = sum(goal.verdict is not Verdict.MET for goal in goals)
    return f"Goals that are missed, or too close to tell: {missed} of {len(goals)}"


def _goals_met(report: Report) -> str:
    goals = report.answer.goals
    met = sum(goal.verdict is Verdict.MET for goal in goals)
    return f"{met} of {len(goals)}" if goals else ""


def _missed(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        for goal in report.answer.goals:
            if goal.verdict is not Verdict.MET:
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
    return f"[{text}]({report.question}/{NAME})"


def _section(report: Report) -> Iterator[str]:
    """Yield what the first page has of a question: its goals and its plots."""
    answer = report.answer
    if not answer.goals and not answer.plots:
        return
    yield f"## {report.title}\n"
    for plot in answer.plots:
        yield f"![{plot.title}](plots/{plot.name}.svg)\n"
    if answer.goals:
        yield from goal_lines(answer.goals)
    yield f"\n{_link(report, 'All tables')}.\n"


def _whole(report: Report) -> str:
    """Return the page of one question."""
    lines = [f"# {report.title}\n"]
    for table in report.answer.tables:
        lines += [*table_lines(table), ""]
    for plot in report.answer.plots:
        lines.append(f"![{plot.title}](../plots/{plot.name}.svg)\n")
    versions = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    lines.append(f"`{report.command}`, {report.day}.{_spread(report)}")
    lines.append(f"{'; '.join(report.machine)}. {versions}.\n")
    lines.append(f"[All questions](../{NAME}).\n")
    return "\n".join(lines)


def _spread(report: Report) -> str:
    """Say how many figures those with a spread are medians of."""
    cells = (
        cell
        for table in report.answer.tables
        for row in table.rows
        for cell in row.cells.values()
    )
    many = {len(cell.values) for cell in cells if isinstance(cell, Cell)} - {1}
    counts = " or ".join(map(str, sorted(many)))
    return f" Figures with a spread are medians of {counts}." if many else ""
