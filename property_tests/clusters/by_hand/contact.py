"""What holds for handlers that go on though their contact to the store is lost.

That they are cancelled when they have lost their run is judged as for all. Times are
the loop's, in seconds.
"""

from math import inf

from anarchon.events import Event, Lost, Skip
from anarchon.model import CancelReason, LostContact, Overlap
from anarchon.testing.journal import Entry
from property_tests.clusters.invariants import Complaints
from property_tests.clusters.plans import LEASE
from property_tests.clusters.tale import Act, Tale


def heeds_silence(tale: Tale, act: Act) -> bool:
    """Tell whether a handler is to be cancelled when a lease has passed unanswered."""
    return tale.plan.job(act.job).on_lost_contact is LostContact.CANCEL


def silence_cancels_nothing(tale: Tale) -> Complaints:
    """Such a handler is lost by a refusal alone: when its run was somebody else's."""
    for act in tale.acts:
        if heeds_silence(tale, act) or act.why is not CancelReason.LOST:
            continue
        felt = min(act.cancelled, act.ended)
        if _gone(tale, act) > felt:
            yield f"{act.name} on {act.instance}: lost at {felt:.3f}, still its own"
    continues = {
        job.name
        for job in tale.plan.jobs
        if job.on_lost_contact is LostContact.CONTINUE
    }
    for entry in tale.events:
        lost = entry.what
        if isinstance(lost, Lost) and lost.job in continues and lost.cause != "refused":
            yield f"{entry.time:.3f} {entry.instance}: lost by {lost.cause}"


def waits_for_itself(tale: Tale, entry: Entry[Event]) -> bool:
    """Tell whether a slot was skipped for a handler that goes on without an answer.

    To the store its lease may be alive, where beats arrive and no reply does.
    """
    skip, who, time = entry.what, entry.instance, entry.time
    if not isinstance(skip, Skip) or skip.reason != "overlap" or skip.by != who:
        return False
    at_work = any(
        act.began <= time <= act.ended and not heeds_silence(tale, act)
        for act in tale.acts
        if (act.job, act.instance) == (skip.job, who)
    )
    return at_work and tale.troubled(who, time - LEASE, time)


def nobody_overlaps_itself(tale: Tale) -> Complaints:
    """With ``overlap="skip"`` no instance begins a job that it is still at.

    So it waits for a handler that goes on without a lease. Not judged: where the
    store's clock was set, so that leases ended sooner than they were promised to.
    """
    for act in tale.acts:
        for other in tale.acts:
            same = (other.job, other.instance) == (act.job, act.instance)
            if not same or tale.plan.job(act.job).overlap is Overlap.ALLOW:
                continue
            stepped = any(other.began <= at <= act.began for at, _ in tale.store_steps)
            if other.began < act.began < other.ended and not stepped:
                yield f"{act.name} on {act.instance}: begun beside {other.name}"


def _gone(tale: Tale, act: Act) -> float:
    attempt = tale.leases.of_token(act.ctx.token)
    return inf if attempt is None or attempt.gone is None else attempt.gone.time
