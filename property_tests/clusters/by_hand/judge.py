"""All that is promised where runs by hand, and contact that is lost, come on top.

Decides which acts and events each invariant is about. Must not know what it says.
"""

from collections.abc import Callable, Iterator
from copy import copy

from property_tests.clusters import judge
from property_tests.clusters.by_hand import contact, runs
from property_tests.clusters.claims_only import judge as claims_only
from property_tests.clusters.claims_only.ends import timeouts_are_kept
from property_tests.clusters.invariants import leases, skips, stops
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.plans import Kind

OF_ASKS: tuple[Callable[[TaleOfBoth], Iterator[str]], ...] = (
    runs.runs_begin_at_once,
    runs.runs_are_of_their_own,
    runs.ends_are_returned,
    runs.calls_return_in_time,
    runs.callers_cancel_their_runs,
    runs.records_are_written_once,
    runs.ends_are_told,
    runs.everybody_returned,
)
# what counts here is a handler, whoever called it
OF_ALL_ACTS = {
    stops.stops_are_bounded,
    stops.stops_cancel_handlers,
    timeouts_are_kept,
}
OF_LEASES = (
    *judge.INVARIANTS,
    contact.silence_cancels_nothing,
    contact.nobody_overlaps_itself,
    timeouts_are_kept,
)


def complaints(tale: TaleOfBoth) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    if tale.death is not None:
        return judge.complaints(tale)
    kept = tale.plan.store is Kind.LEASES
    of_slots = OF_LEASES if kept else claims_only.INVARIANTS
    lines = [f"{each.__name__}: {line}" for each in OF_ASKS for line in each(tale)]
    for each in of_slots:
        subject = _subject(tale, each)
        lines += [f"{each.__name__}: {line}" for line in each(subject)]
    return lines


def _subject(tale: TaleOfBoth, each: judge.Invariant) -> TaleOfBoth:
    """Return the tale with those acts and events that an invariant is about."""
    view = copy(tale)
    if each in OF_ALL_ACTS:
        view.acts = [*tale.acts, *tale.manual_acts]
    elif each is leases.the_unheard_are_cancelled:
        view.acts = [act for act in tale.acts if contact.heeds_silence(tale, act)]
    elif each is skips.skips_have_the_right_reason:
        view.events = [e for e in tale.events if not contact.waits_for_itself(tale, e)]
    return view
