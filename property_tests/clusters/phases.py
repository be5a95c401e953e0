"""How whole clusters go through Hypothesis.

Decides which of its phases are for drawn plans, and how a kept plan is played alone.
"""

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anarchon.testing.virtual import Loop
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.plans import Plan
from property_tests.clusters.play import play

# to explain means to trace every line: a play takes a tenth of a second without that
DRAWN = [phase for phase in settings().phases if phase is not Phase.explain]


def play_kept(plan: Plan, loop: Loop) -> TaleOfBoth:
    """Play a plan as if it had been drawn: Trio orders tasks by chance elsewhere."""
    tales: list[TaleOfBoth] = []

    @settings(max_examples=1, phases=[Phase.generate], database=None)
    @given(st.none())
    def once(_: None) -> None:
        tales.append(play(plan, loop))

    once()
    return tales[-1]
