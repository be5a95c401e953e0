"""All mutants, and the suites that each is tried with.

Decides which there are.
"""

from itertools import chain
from typing import NamedTuple

from property_tests.mutants import (
    asking,
    backing_up,
    claiming,
    memory,
    postgres,
    redis,
    rules,
    running,
    sharing,
    sqlite,
    stopping,
)
from property_tests.mutants.mutant import Mutant
from property_tests.mutants.suites import Suite, suites_of

FILES = (
    *(claiming, memory, sqlite, redis, postgres, sharing),
    *(asking, running, backing_up, stopping, rules),
)
ALL: tuple[Mutant, ...] = tuple(chain.from_iterable(f.MUTANTS for f in FILES))


class Trial(NamedTuple):
    """A mutant, and the suite that has to notice it."""

    mutant: Mutant
    suite: Suite


def trials(*, servers: bool = False, about: str = "") -> list[Trial]:
    """Return all trials, those on real servers or the others.

    ``about`` is a part of what they say of the mutant, of its file, or of the suite.
    """
    every = (Trial(mutant, suite) for mutant in ALL for suite in _suites(mutant))
    return [
        trial
        for trial in every
        if trial.suite.servers is servers and about.lower() in _said(trial).lower()
    ]


def _suites(mutant: Mutant) -> tuple[Suite, ...]:
    return suites_of(mutant.file) if mutant.only is None else (mutant.only,)


def _said(trial: Trial) -> str:
    mutant, suite = trial
    return f"{mutant.name} {mutant.breaks} {mutant.file} {suite.name}"
