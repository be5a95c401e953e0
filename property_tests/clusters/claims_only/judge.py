"""All that is promised on a store that only grants each slot once.

Decides which invariants are judged there. Must not know what they say.
"""

from property_tests.clusters.claims_only import ends, winners
from property_tests.clusters.invariants import history, leases, lives, slots, stops
from property_tests.clusters.judge import Invariant
from property_tests.clusters.plans import Kind
from property_tests.clusters.tale import Tale

INVARIANTS: tuple[Invariant, ...] = (
    lives.schedulers_live_on,
    winners.each_slot_is_granted_once,
    winners.runs_have_no_lease,
    winners.due_slots_are_told,
    winners.slots_are_skipped_once,
    winners.skips_have_the_right_reason,
    winners.nothing_is_granted_too_late,
    winners.early_is_asked_again,
    winners.nothing_begins_beside_the_overdue,
    winners.what_is_won_is_begun,
    winners.what_is_won_unheard_is_ended,
    winners.blocked_jobs_are_told,
    leases.attempts_run_where_they_were_won,
    ends.ends_are_on_record,
    ends.nothing_is_handed_over,
    ends.ends_are_told,
    ends.timeouts_are_kept,
    ends.errors_have_causes,
    history.history_has_each_attempt,
    history.nothing_ends_that_never_began,
    stops.stops_are_bounded,
    stops.stops_cancel_handlers,
    lives.nothing_leaks,
)


def complaints(tale: Tale) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    judged = INVARIANTS if tale.death is None else (lives.schedulers_live_on,)
    if tale.plan.store is Kind.CLAIMS:
        # where no time is told, an instance whose clock is ahead takes slots early
        judged = (*judged, slots.slots_are_granted_in_order_and_time)
    return [f"{each.__name__}: {line}" for each in judged for line in each(tale)]
