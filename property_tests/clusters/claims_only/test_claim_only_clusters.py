"""Clusters on stores that only grant each slot once: drawn plans, played and judged."""

import pytest
from hypothesis import given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters.claims_only.examples import KEPT
from property_tests.clusters.claims_only.judge import complaints
from property_tests.clusters.draws import claim_plans
from property_tests.clusters.judge import story
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.phases import DRAWN, play_kept
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.parametrize("name", KEPT)
def test_a_claim_only_cluster_keeps_its_promises_in(name: str, loop: Loop) -> None:
    """What needs a mechanism of its own, and is seldom drawn, is always played."""
    _judge(play_kept(KEPT[name], loop), loop)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=DRAWN)
@given(plan=claim_plans())
def test_a_claim_only_cluster_keeps_its_promises(loop: Loop, plan: Plan) -> None:
    """Each slot has one winner, who tells its end; nothing else is promised."""
    _judge(play(plan, loop), loop)


def _judge(tale: TaleOfBoth, loop: Loop) -> None:
    tally.add(f"claim-only clusters on {loop}", examples=1, steps=len(tale.steps))

    assert [] == complaints(tale), story(tale)
