"""Clusters with runs by hand and contact that is lost: drawn, played and judged."""

import pytest
from hypothesis import given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters.by_hand.examples import KEPT
from property_tests.clusters.by_hand.judge import complaints
from property_tests.clusters.draws import asked_plans
from property_tests.clusters.judge import story
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.phases import DRAWN, play_kept
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play

# most of these plans have been played without runs by hand
FEW = max(1, settings().max_examples // 4)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.parametrize("name", KEPT)
def test_runs_by_hand_are_of_their_own_in(name: str, loop: Loop) -> None:
    """What needs a mechanism of its own, and is seldom drawn, is always played."""
    _judge(play_kept(KEPT[name], loop), loop)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=DRAWN, max_examples=FEW)
@given(plan=asked_plans())
def test_runs_by_hand_are_of_their_own(loop: Loop, plan: Plan) -> None:
    """They begin at once and are recorded once, and every other promise is kept."""
    _judge(play(plan, loop), loop)


def _judge(tale: TaleOfBoth, loop: Loop) -> None:
    tally.add(
        f"clusters with runs by hand on {loop}", examples=1, steps=len(tale.steps)
    )

    assert [] == complaints(tale), story(tale)
