"""Nothing ends a scheduler but its stop, and nothing of it stays behind."""

from anarchon.model import State
from property_tests.clusters.invariants import Complaints
from property_tests.clusters.tale import Tale


def schedulers_live_on(tale: Tale) -> Complaints:
    """No handler, no callback and nothing that the store does ends a scheduler."""
    if tale.death is not None:
        yield f"the cluster died: {tale.death!r}"
        return
    states = {life.instance: life.state for life in tale.lives}
    for who in tale.plan.names:
        if states.get(who) != State.RUNNING:
            yield f"{who}: at the end it is {states.get(who)}"


def what_goes_on_has_a_handler(tale: Tale) -> Complaints:
    """At the end of calm an instance counts as its own what its handlers are at."""
    last = {life.instance: life for life in tale.lives}
    for life in last.values():
        at_work = sorted(
            act.name
            for act in tale.acts_in(life)
            if act.began <= tale.over <= act.ended
        )
        if sorted(life.going) != at_work:
            yield f"{life.instance}: runs {life.going}, at work are {at_work}"


def nothing_leaks(tale: Tale) -> Complaints:
    """When the last stop is over, no task is left that wasn't there before."""
    yield from tale.leaked
