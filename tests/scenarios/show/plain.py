"""Scenarios as plain lines: for files, pipes and whatever can't do more.

Decides what is printed of a scenario once it has ended. No control codes.
"""

import sys
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Self, TextIO

from rich.console import Console

from tests.scenarios.performance import Performance, Playing
from tests.scenarios.scenario import Scenario
from tests.scenarios.show.cells import text_lanes
from tests.scenarios.show.findings import (
    Finding,
    all_well,
    findings_of,
    headline,
    kind_of,
    of_kind,
    time_words,
)
from tests.scenarios.show.looks import can_write_glyphs, legend_lines
from tests.scenarios.show.run import Run
from tests.scenarios.show.table import conclusion, table_of
from tests.scenarios.show.timeline import timeline_of

WIDTH = 80
INDENT = " " * 10


class PlainShow:
    """Prints each scenario when it has ended, to standard output if nowhere else."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stdout
        self._ascii_only = not can_write_glyphs(self._file)

    def __enter__(self) -> Self:
        for line in legend_lines(WIDTH, ascii_only=self._ascii_only):
            self._print("".join(text for text, _ in line).rstrip())
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def watch(self, playings: Sequence[Playing]) -> None:
        """Print nothing: it is no story yet."""

    def ended(self, scenario: Scenario, performances: Sequence[Performance]) -> None:
        """Print the lanes on each store, then what was found of each promise."""
        title = f"{scenario.number}. {scenario.title}"
        self._print("", title, "=" * len(title))
        for leases in (True, False):
            here = of_kind(performances, leases=leases)
            self._print(*self._lanes(here, _span(performances)))
            self._print(*_verdicts(here))

    def conclude(self, run: Run) -> None:
        """Print the summary table."""
        console = Console(
            file=self._file,
            width=WIDTH,
            force_terminal=False,
            color_system=None,
            legacy_windows=False,
            highlight=False,
        )
        console.print("", table_of(run), conclusion(run))
        self._file.flush()

    def _lanes(self, performances: Sequence[Performance], span: float) -> Iterator[str]:
        for one in performances:
            loops = f", {'/'.join(one.loops)}" if one.loops else ""
            yield f"\n{one.store.name} ({kind_of(one.store)}{loops}): {headline(one)}"
            if one.reports:
                lines = timeline_of(one.reports, one.ended)
                yield from text_lanes(
                    lines, span, WIDTH - 1, ascii_only=self._ascii_only
                )

    def _print(self, *lines: str) -> None:
        encoding = self._file.encoding or "ascii"
        for line in lines:
            safe = line.encode(encoding, "replace").decode(encoding)
            self._file.write(f"{safe}\n")
        # at once, for whoever reads it as it comes
        self._file.flush()


def _span(performances: Sequence[Performance]) -> float:
    ends = (timeline_of(one.reports, one.ended).end for one in performances)
    return max(ends, default=0.0)


def _verdicts(performances: Sequence[Performance]) -> Iterator[str]:
    yield ""
    for finding in findings_of(performances):
        yield from _found(finding)
    for one in performances:
        if not all_well([one]) and one.why:
            yield f"  {one.outcome:6}  on {one.store.name}:"
            yield from (f"{INDENT}{line}" for line in one.why.splitlines())


def _found(finding: Finding) -> Iterator[str]:
    first, *others = wrap(finding.promise, WIDTH - len(INDENT) - 1)
    yield f"  {'kept  ' if finding.kept else 'BROKEN'}  {first}"
    yield from (f"{INDENT}{line}" for line in (*others, *time_words(finding.times)))
    for store, problem in finding.problems.items():
        first, *others = problem.splitlines() or [""]
        yield f"{INDENT}{store}: {first}"
        yield from (f"{INDENT}  {line}" for line in others)
