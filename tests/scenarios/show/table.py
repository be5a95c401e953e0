"""The summary: a row for each scenario, what happened on either kind of store.

Decides the words of each cell, and the table for terminals and files.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from tests.scenarios.performance import Performance
from tests.scenarios.scenario import Side
from tests.scenarios.show.findings import all_well, of_kind, outcome_words, times_of
from tests.scenarios.show.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """What one kind of store does in a scenario, and what was found on those."""

    summary: str
    outcome: str
    well: bool
    times: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A scenario in the table."""

    number: int
    title: str
    claims: Half
    lease: Half


def rows_of(run: Run) -> list[Row]:
    """Return a row for each scenario."""
    return [
        Row(
            number=scenario.number,
            title=scenario.title,
            claims=_half(scenario.claims, of_kind(run.of(scenario), leases=False)),
            lease=_half(scenario.lease, of_kind(run.of(scenario), leases=True)),
        )
        for scenario in run.scenarios
    ]


def _half(side: Side, performances: Sequence[Performance]) -> Half:
    return Half(
        summary=side.summary,
        outcome=outcome_words(performances) or "not played",
        well=all_well(performances),
        times=tuple(times_of(performances)),
    )


def table_of(run: Run) -> Table:
    """Return the table as it is printed."""
    table = Table(show_lines=True)
    table.add_column("", justify="right")
    for title in ("What happens", "Claim-only backend", "Lease backend"):
        table.add_column(title, ratio=1)
    for row in rows_of(run):
        cells = map(_cell, (row.claims, row.lease))
        table.add_row(str(row.number), Text(row.title), *cells)
    return table


def _cell(half: Half) -> Text:
    style = "green" if half.well else "bold red"
    lines = [Text(half.summary), Text(half.outcome, style)]
    return Text("\n").join([*lines, *(Text(time, "dim") for time in half.times)])


def conclusion(run: Run) -> Text:
    """Say in a line how the run ended."""
    count = len(run.performances)
    failed = [one for one in run.performances if not all_well([one])]
    if failed:
        bad = f"{len(failed)} of {count} performances broke a promise or failed"
        return Text(f"{bad}, in {run.took:.0f} s.", "bold red")
    return Text(f"All promises were kept in {run.took:.0f} s.", "bold green")
