"""All invariants together, and the story of a play that broke one.

Decides what a failing example prints. Must not know what an invariant says.
"""

from collections.abc import Callable, Iterator

from property_tests import cluster_ends, cluster_invariants
from property_tests.cluster_tale import Tale

Invariant = Callable[[Tale], Iterator[str]]

INVARIANTS: tuple[Invariant, ...] = (
    cluster_ends.schedulers_live_on,
    cluster_invariants.no_two_live_leases,
    cluster_invariants.only_the_current_token_acts,
    cluster_invariants.the_lost_are_cancelled,
    cluster_invariants.attempts_run_where_they_were_won,
    cluster_invariants.due_slots_are_told,
    cluster_invariants.skips_have_the_right_reason,
    cluster_invariants.overlaps_are_alive,
    cluster_invariants.orphans_are_taken_up,
    cluster_ends.attempts_stay_within_the_limit,
    cluster_ends.slots_are_granted_in_order_and_time,
    cluster_ends.history_has_each_attempt,
    cluster_ends.history_has_the_true_end,
    cluster_ends.nothing_ends_that_never_began,
    cluster_ends.ends_are_told,
    cluster_ends.final_ends_are_told,
    cluster_ends.stops_are_bounded,
    cluster_ends.stops_cancel_handlers,
    cluster_ends.stops_hand_over,
    cluster_ends.nothing_leaks,
)


def complaints(tale: Tale) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    if tale.death is not None:
        # it was cut short, so that nothing else could come to its end
        return _complaints_of(cluster_ends.schedulers_live_on, tale)
    return [line for each in INVARIANTS for line in _complaints_of(each, tale)]


def _complaints_of(invariant: Invariant, tale: Tale) -> list[str]:
    return [f"{invariant.__name__}: {line}" for line in invariant(tale)]


def story(tale: Tale) -> str:
    """Return the plan, and all that happened: time, instance, event."""
    return f"{tale.plan}\n\n{tale.told}"
