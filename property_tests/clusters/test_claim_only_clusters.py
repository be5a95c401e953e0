"""Clusters on stores that only grant each slot once: drawn plans, played and judged."""

import pytest
from hypothesis import example, given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters import claims_only_examples as kept
from property_tests.clusters.claims_only import complaints
from property_tests.clusters.draws import claim_plans
from property_tests.clusters.judge import story
from property_tests.clusters.phases import PHASES
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=PHASES)
@given(plan=claim_plans())
@example(plan=kept.THE_STORE_SET_BACK)
@example(plan=kept.WON_UNHEARD)
@example(plan=kept.WON_UNHEARD_WITHOUT_TIME)
@example(plan=kept.WON_UNHEARD_THEN_CUT_OFF)
@example(plan=kept.WON_UNHEARD_BEFORE_A_STOP)
@example(plan=kept.STOPPED_WHILE_ASKING)
@example(plan=kept.STOPPED_IN_ITS_MIDST)
@example(plan=kept.ALL_FROZEN)
@example(plan=kept.A_CLOCK_SET_BACK)
@example(plan=kept.ASKED_TOO_EARLY)
@example(plan=kept.STUBBORN)
@example(plan=kept.CUT_OFF_AT_ITS_END)
def test_a_claim_only_cluster_keeps_its_promises(loop: Loop, plan: Plan) -> None:
    """Each slot has one winner, who tells its end; nothing else is promised."""
    tale = play(plan, loop)
    tally.add(f"claim-only clusters on {loop}", examples=1, steps=len(tale.steps))

    assert [] == complaints(tale), story(tale)
