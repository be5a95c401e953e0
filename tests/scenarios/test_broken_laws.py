"""Scenarios on a store whose laws are broken on purpose: each break is noticed.

The same scenarios are kept on the same store as it is, so it is the law that counts.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.scenarios import sabotage
from tests.scenarios.performance import Outcome, Performance, Playing
from tests.scenarios.plays import (
    frozen_at_the_end,
    killed,
    rolling_deploy,
    stopped,
    thawed_in_time,
)
from tests.scenarios.scenario import Scenario
from tests.scenarios.stores import STORES, Place

pytestmark = [pytest.mark.processes, pytest.mark.timeout(180)]

SQLITE = next(store for store in STORES if store.name == "sqlite")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A law, a scenario that notices when it is broken, and words of its promise."""

    law: Callable[[], None]
    scenario: Scenario
    promise: str


CASES = {
    "finish": Case(
        law=sabotage.finish_is_not_fenced,
        scenario=frozen_at_the_end.SCENARIO,
        promise="refuses the result of attempt 1",
    ),
    "release": Case(
        law=sabotage.release_counts_as_an_attempt,
        scenario=stopped.SCENARIO,
        promise="costs no attempt",
    ),
    "release in a deploy": Case(
        law=sabotage.release_counts_as_an_attempt,
        scenario=rolling_deploy.SCENARIO,
        promise="uses up no attempt",
    ),
    "takeover": Case(
        law=sabotage.takeover_ignores_the_lease,
        scenario=killed.SCENARIO,
        promise="not before the lease ran out",
    ),
    "takeover in a freeze": Case(
        law=sabotage.takeover_ignores_the_lease,
        scenario=thawed_in_time.SCENARIO,
        promise="leave it alone",
    ),
}

each_case = pytest.mark.parametrize("name", CASES)

Played = Mapping[str, Performance]


def played(folder: Path, *, broken: bool) -> Played:
    """Play each case at the same time, on a store of its own."""

    def play(name: str) -> Performance:
        case, own = CASES[name], folder / name
        first = f"{case.law.__module__}:{case.law.__name__}" if broken else ""
        place = Place(store=SQLITE, folder=own, server=None, first=first)
        return Playing(case.scenario, place, own).play()

    with ThreadPoolExecutor(len(CASES)) as threads:
        return dict(zip(CASES, threads.map(play, CASES), strict=True))


@pytest.fixture(scope="module")
def lawless(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Play under broken laws."""
    return played(tmp_path_factory.mktemp("lawless"), broken=True)


@pytest.fixture(scope="module")
def lawful(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Play the same under all laws."""
    return played(tmp_path_factory.mktemp("lawful"), broken=False)


@each_case
def test_break_of_a_law_is_noticed(lawless: Played, name: str) -> None:
    """The promise that the law is for is found broken."""
    performance = lawless[name]
    assert performance.outcome in {Outcome.BROKEN, Outcome.STUCK}, performance.why
    found = [v for v in performance.verdicts if CASES[name].promise in v.promise]
    assert [True] == [verdict.problem is not None for verdict in found]


@each_case
def test_same_scenario_is_kept_under_the_laws(lawful: Played, name: str) -> None:
    """So what was noticed is the break, and nothing else."""
    performance = lawful[name]
    assert Outcome.KEPT == performance.outcome, performance.verdicts
