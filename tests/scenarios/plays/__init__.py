"""All scenarios, in the order of their numbers.

Each has a file of its own: its story, what is done on the stage, its promises and their
judges.
"""

from tests.scenarios.plays import (
    all_down,
    all_restarted,
    bystander,
    cut_off,
    deaf,
    frozen,
    frozen_at_the_end,
    killed,
    killed_twice,
    long_job,
    rolling_deploy,
    stopped,
    stopped_claiming,
    store_restarted,
    thawed_in_time,
    two_versions,
    wrong_clock,
)

SCENARIOS = (
    long_job.SCENARIO,
    killed.SCENARIO,
    frozen.SCENARIO,
    bystander.SCENARIO,
    stopped.SCENARIO,
    all_restarted.SCENARIO,
    all_down.SCENARIO,
    killed_twice.SCENARIO,
    thawed_in_time.SCENARIO,
    frozen_at_the_end.SCENARIO,
    deaf.SCENARIO,
    stopped_claiming.SCENARIO,
    store_restarted.SCENARIO,
    cut_off.SCENARIO,
    rolling_deploy.SCENARIO,
    two_versions.SCENARIO,
    wrong_clock.SCENARIO,
)
