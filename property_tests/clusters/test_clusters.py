"""Whole clusters on virtual time: drawn plans, played on both loops, and judged.

A plan is drawn as a whole, not rule by rule: an instance's troubles overlap in time, so
the next step of an interactive machine would have to wait for what the last one began.
As a value, a plan shrinks to the fewest instances, jobs and troubles, it can be kept
as an example, and the same one is played on either loop.
"""

import logging
from collections.abc import Generator

import pytest
from hypothesis import Phase, example, given, settings

from anarchon.testing.virtual import Loop
from property_tests.clusters import examples
from property_tests.clusters.draws import plans
from property_tests.clusters.judge import complaints, story
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play

# to explain means to trace every line: a play takes a tenth of a second without that
DRAWN = [phase for phase in Phase if phase is not Phase.explain]
# Where nothing may be random only the kept plans are played: which ones are drawn
# depends on the modules that happen to be loaded, and so differs from run to run.
PHASES = [Phase.explicit] if settings().derandomize else DRAWN


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Generator[None]:
    """Let nothing be logged: the story of a play that fails says more."""
    logger = logging.getLogger("anarchon")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(level)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.timeout(120)
@settings(phases=PHASES)
@given(plan=plans())
@example(plan=examples.CUT_OFF_FOR_LONG)
@example(plan=examples.REFUSED_FOR_LONG)
@example(plan=examples.DEAD_WHILE_THE_STORE_IS_SET_BACK)
@example(plan=examples.THAWED_WITH_AN_OLD_END)
@example(plan=examples.THAWED_IN_A_CALL)
@example(plan=examples.STOPPED_WHILE_IT_STARTS)
def test_a_cluster_keeps_its_promises(loop: Loop, plan: Plan) -> None:
    """Whatever befalls whom, every invariant of the cluster holds."""
    tale = play(plan, loop)

    assert [] == complaints(tale), story(tale)
