"""The table of mutants: what was broken, what noticed, and how soon.

Decides how it is printed and kept. Must not know how mutants are tried.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from property_tests.mutants.catalogue import Trial
from property_tests.mutants.workshop import Fate, Verdict

HEAD = "| mutant | breaks | tested on | noticed by | s |\n|---|---|---|---|--:|"


class Result(NamedTuple):
    """A trial, and what came of it."""

    trial: Trial
    verdict: Verdict


def as_markdown(results: Sequence[Result]) -> str:
    """Return the whole table, and a line that counts."""
    killed = sum(result.verdict.fate is Fate.KILLED for result in results)
    rows = "\n".join(map(_row, results))
    return f"{HEAD}\n{rows}\n\n{killed} of {len(results)} were noticed.\n"


def _row(result: Result) -> str:
    (mutant, suite), verdict = result
    # a bar would end the cell
    name, breaks = mutant.name.replace("|", "/"), mutant.breaks
    noticed = _noticed_by(verdict).replace("|", "/")
    return f"| {name} | {breaks} | {suite.name} | {noticed} | {verdict.seconds:.1f} |"


def _noticed_by(verdict: Verdict) -> str:
    if verdict.fate is not Fate.KILLED:
        return f"**{verdict.fate}**"
    return verdict.told.rpartition("/")[2]


def as_line(result: Result) -> str:
    """Return what came of one trial, while others still go on."""
    (mutant, suite), verdict = result
    fate, seconds = verdict.fate, verdict.seconds
    line = f"{fate:<9}{seconds:6.1f} s  {suite.name}: {mutant.name}"
    told = "" if fate is Fate.KILLED else verdict.told
    return f"{line}\n{told}".rstrip()


def as_json(results: Sequence[Result]) -> str:
    """Return all that is known, for whoever compares two tables."""
    return json.dumps(list(map(_entry, results)), indent=1)


def _entry(result: Result) -> dict[str, str | float]:
    (mutant, suite), verdict = result
    return {
        "mutant": mutant.name,
        "breaks": mutant.breaks,
        "file": mutant.file,
        "suite": suite.name,
        "fate": verdict.fate,
        "told": verdict.told,
        "seconds": round(verdict.seconds, 1),
    }
