"""All that is promised where runs by hand, and contact that is lost, come on top.

Decides which acts each invariant is about. Must not know what it says.
"""

from collections.abc import Callable, Iterator
from copy import copy

from property_tests.clusters import (
    asked,
    claims_only,
    claims_only_ends,
    contact,
    judge,
)
from property_tests.clusters.invariants import leases, stops
from property_tests.clusters.manual import TaleOfBoth
from property_tests.clusters.plans import Kind
from property_tests.clusters.tale import Act

OF_ASKS: tuple[Callable[[TaleOfBoth], Iterator[str]], ...] = (
    asked.runs_begin_at_once,
    asked.runs_are_of_their_own,
    asked.ends_are_returned,
    asked.calls_return_in_time,
    asked.callers_cancel_their_runs,
    asked.records_are_written_once,
    asked.ends_are_told,
    asked.everybody_returned,
)
# what counts here is a handler, whoever called it
OF_ALL_ACTS = {
    stops.stops_are_bounded,
    stops.stops_cancel_handlers,
    claims_only_ends.timeouts_are_kept,
}
OF_LEASES = (
    *judge.INVARIANTS,
    contact.silence_cancels_nothing,
    claims_only_ends.timeouts_are_kept,
)


def complaints(tale: TaleOfBoth) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    if tale.death is not None:
        return judge.complaints(tale)
    kept = tale.plan.store is Kind.LEASES
    of_slots = OF_LEASES if kept else claims_only.INVARIANTS
    lines = [f"{each.__name__}: {line}" for each in OF_ASKS for line in each(tale)]
    for each in of_slots:
        subject = _with_acts(tale, _about(tale, each))
        lines += [f"{each.__name__}: {line}" for line in each(subject)]
    return lines


def _about(tale: TaleOfBoth, each: judge.Invariant) -> list[Act]:
    if each in OF_ALL_ACTS:
        return [*tale.acts, *tale.manual_acts]
    if each is leases.the_unheard_are_cancelled:
        return [act for act in tale.acts if contact.heeds_silence(tale, act)]
    return tale.acts


def _with_acts(tale: TaleOfBoth, acts: list[Act]) -> TaleOfBoth:
    view = copy(tale)
    view.acts = acts
    return view
