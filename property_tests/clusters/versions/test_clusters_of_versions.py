"""Clusters whose instances differ in options, while a zone's clocks are changed."""

import pytest
from hypothesis import given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters.draws import mixed_plans
from property_tests.clusters.judge import story
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.phases import DRAWN, play_kept
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play
from property_tests.clusters.versions.examples import KEPT
from property_tests.clusters.versions.judge import complaints

# most of these plans have been played with one version everywhere
FEW = max(1, settings().max_examples // 4)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.parametrize("name", KEPT)
def test_a_cluster_of_several_versions_agrees_in(name: str, loop: Loop) -> None:
    """What needs a mechanism of its own, and is seldom drawn, is always played."""
    _judge(play_kept(KEPT[name], loop), loop)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=DRAWN, max_examples=FEW)
@given(plan=mixed_plans())
def test_a_cluster_of_several_versions_agrees(loop: Loop, plan: Plan) -> None:
    """Of two instances that say different things, the one that asks counts."""
    _judge(play(plan, loop), loop)


def _judge(tale: TaleOfBoth, loop: Loop) -> None:
    tally.add(f"clusters of versions on {loop}", examples=1, steps=len(tale.steps))

    assert [] == complaints(tale), story(tale)
