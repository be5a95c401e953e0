"""What holds for handlers that go on though their contact to the store is lost.

That they are cancelled when they have lost their run is judged as for all. Times are
the loop's, in seconds.
"""

from math import inf

from anarchon.events import Lost
from anarchon.model import CancelReason, LostContact
from property_tests.clusters.invariants import Complaints
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


def _gone(tale: Tale, act: Act) -> float:
    attempt = tale.leases.of_token(act.ctx.token)
    return inf if attempt is None or attempt.gone is None else attempt.gone.time
