"""Clusters with runs by hand and contact that is lost: drawn, played and judged."""

import pytest
from hypothesis import example, given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters import asked_examples as kept
from property_tests.clusters.asked_judge import complaints
from property_tests.clusters.draws import asked_plans
from property_tests.clusters.judge import story
from property_tests.clusters.phases import PHASES
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=PHASES)
@given(plan=asked_plans())
@example(plan=kept.TWICE_BESIDE_A_RUN)
@example(plan=kept.STUCK)
@example(plan=kept.STUCK_WITHOUT_LEASES)
@example(plan=kept.UNHEARD)
@example(plan=kept.CUT_OFF)
@example(plan=kept.STOPPED)
@example(plan=kept.CONTINUES_CUT_OFF)
def test_runs_by_hand_are_of_their_own(loop: Loop, plan: Plan) -> None:
    """They begin at once and are recorded once, and every other promise is kept."""
    tale = play(plan, loop)
    tally.add(
        f"clusters with runs by hand on {loop}", examples=1, steps=len(tale.steps)
    )

    assert [] == complaints(tale), story(tale)
