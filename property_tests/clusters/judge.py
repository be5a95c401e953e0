"""All invariants together, and the story of a play that broke one.

Decides what a failing example prints. Must not know what an invariant says.
"""

from collections.abc import Callable, Iterator

from property_tests.clusters import ends, invariants
from property_tests.clusters.tale import Tale

Invariant = Callable[[Tale], Iterator[str]]

INVARIANTS: tuple[Invariant, ...] = (
    ends.schedulers_live_on,
    invariants.no_two_live_leases,
    invariants.only_the_current_token_acts,
    invariants.the_lost_are_cancelled,
    invariants.attempts_run_where_they_were_won,
    invariants.due_slots_are_told,
    invariants.skips_have_the_right_reason,
    invariants.overlaps_are_alive,
    invariants.orphans_are_taken_up,
    ends.attempts_stay_within_the_limit,
    ends.slots_are_granted_in_order_and_time,
    ends.history_has_each_attempt,
    ends.history_has_the_true_end,
    ends.nothing_ends_that_never_began,
    ends.ends_are_told,
    ends.final_ends_are_told,
    ends.stops_are_bounded,
    ends.stops_cancel_handlers,
    ends.stops_hand_over,
    ends.nothing_leaks,
)


def complaints(tale: Tale) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    if tale.death is not None:
        # it was cut short, so that nothing else could come to its end
        return _complaints_of(ends.schedulers_live_on, tale)
    return [line for each in INVARIANTS for line in _complaints_of(each, tale)]


def _complaints_of(invariant: Invariant, tale: Tale) -> list[str]:
    return [f"{invariant.__name__}: {line}" for line in invariant(tale)]


def story(tale: Tale) -> str:
    """Return the plan, and all that happened: time, instance, event."""
    return f"{tale.plan}\n\n{tale.told}"
