"""Whole clusters on virtual time: drawn plans, played on both loops, and judged.

A plan is drawn as a whole, not rule by rule: an instance's troubles overlap in time, so
the next step of an interactive machine would have to wait for what the last one began.
As a value, a plan shrinks to the fewest instances, jobs and troubles, it can be kept
as an example, and the same one is played on either loop.
"""

import pytest
from hypothesis import given, settings

from anarchon.testing.virtual import Loop
from property_tests import tally
from property_tests.budget import within
from property_tests.clusters.census import leftovers
from property_tests.clusters.draws import plans
from property_tests.clusters.examples import KEPT
from property_tests.clusters.judge import complaints, story
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.phases import DRAWN, play_kept
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.parametrize("name", KEPT)
def test_a_cluster_keeps_its_promises_in(name: str, loop: Loop) -> None:
    """What needs a mechanism of its own, and is seldom drawn, is always played."""
    _judge(play_kept(KEPT[name], loop), loop)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@within(120)
@settings(phases=DRAWN)
@given(plan=plans())
def test_a_cluster_keeps_its_promises(loop: Loop, plan: Plan) -> None:
    """Whatever befalls whom, every invariant of the cluster holds."""
    _judge(play(plan, loop), loop)


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_nothing_of_a_scheduler_outlives_it(loop: Loop) -> None:
    """When all have stopped or crashed, no run, watch or timer is left in memory."""
    before = leftovers()
    for name, plan in KEPT.items():
        if name.startswith(("FROZEN", "STOPPED", "STUBBORN")):
            play(plan, loop)

    assert before == leftovers()


def _judge(tale: TaleOfBoth, loop: Loop) -> None:
    tally.add(f"clusters on {loop}", examples=1, steps=len(tale.steps))

    assert [] == complaints(tale), story(tale)
