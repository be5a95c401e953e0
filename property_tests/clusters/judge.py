"""All invariants together, and the story of a play that broke one.

Decides what a failing example prints. Must not know what an invariant says.
"""

from collections.abc import Callable, Iterator

from property_tests.clusters.invariants import (
    asking,
    history,
    leases,
    lives,
    skips,
    slots,
    stops,
    takeovers,
    telling,
)
from property_tests.clusters.tale import Tale

Invariant = Callable[[Tale], Iterator[str]]

INVARIANTS: tuple[Invariant, ...] = (
    lives.schedulers_live_on,
    leases.no_two_live_leases,
    leases.only_the_current_token_acts,
    leases.attempts_run_where_they_were_won,
    leases.handlers_begin_under_a_lease,
    leases.one_handler_of_a_run_at_a_time,
    leases.nobody_takes_over_from_itself,
    leases.the_lost_are_cancelled,
    leases.the_unheard_are_cancelled,
    leases.losses_are_true,
    leases.stubborn_handlers_are_given_up,
    asking.starts_ask_for_the_newest_slot_first,
    asking.what_is_over_is_watched_no_more,
    asking.what_was_won_unheard_is_asked_for,
    slots.slots_are_granted_in_order_and_time,
    slots.due_slots_are_told,
    slots.slots_are_skipped_once,
    slots.starts_catch_the_latest_slot_up,
    slots.what_a_freeze_missed_is_not_made_up,
    skips.skips_have_the_right_reason,
    skips.overlaps_are_alive,
    takeovers.orphans_are_taken_up,
    takeovers.attempts_stay_within_the_limit,
    takeovers.only_newer_runs_replace,
    history.history_has_each_attempt,
    history.history_has_the_true_end,
    history.ends_are_stored,
    history.nothing_ends_that_never_began,
    telling.ends_are_told,
    telling.nothing_succeeds_that_was_lost,
    telling.successes_are_on_record,
    telling.final_ends_are_told,
    stops.stops_are_bounded,
    stops.stops_ask_for_nothing,
    stops.stops_cancel_handlers,
    stops.stops_hand_over,
    stops.stops_hold_nothing,
    lives.what_goes_on_has_a_handler,
    lives.nothing_leaks,
)


def complaints(tale: Tale) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    if tale.death is not None:
        # it was cut short, so that nothing else could come to its end
        return _complaints_of(lives.schedulers_live_on, tale)
    return [line for each in INVARIANTS for line in _complaints_of(each, tale)]


def _complaints_of(invariant: Invariant, tale: Tale) -> list[str]:
    return [f"{invariant.__name__}: {line}" for line in invariant(tale)]


def story(tale: Tale) -> str:
    """Return the plan, and all that happened: time, instance, event."""
    return f"{tale.plan}\n\n{tale.told}"
