"""The mutants of the property tests still fit the code that they break."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from property_tests.mutants.catalogue import ALL, trials
from property_tests.mutants.mutant import Mutant

PROJECT = Path(__file__).parent.parent


@pytest.mark.parametrize("mutant", ALL, ids=lambda m: f"{Path(m.file).stem}: {m.name}")
def test_mutant_changes_one_place_and_can_be_read(mutant: Mutant) -> None:
    """The text that a mutant replaces is there once, and what comes of it is code."""
    text = (PROJECT / mutant.file).read_text("utf-8")

    broken = mutant.applied(text)

    assert text != broken
    if mutant.file.endswith(".py"):
        ast.parse(broken)


def test_mutants_are_told_apart() -> None:
    """No two mutants of a file have one name or do the same."""
    names = Counter((mutant.file, mutant.name) for mutant in ALL)
    faults = Counter((mutant.file, mutant.find, mutant.put) for mutant in ALL)

    assert {1} == {*names.values(), *faults.values()}


def test_each_mutant_is_tried() -> None:
    """Each mutant is one for the stores of a process or for those on servers."""
    tried = {
        trial.mutant for servers in (False, True) for trial in trials(servers=servers)
    }

    assert set(ALL) == tried
