"""All scenarios, in the order of their numbers.

Each has a file of its own: its story, what is done on the stage, its promises and their
judges.
"""

from tests.scenarios.plays import killed

SCENARIOS = (killed.SCENARIO,)
