"""What a trouble does to calls: which fault they meet, and how long that is felt.

Decides what a trouble may cause, and so what may be excused by it. Must not know whom
it befalls. Durations are in seconds.
"""

from anarchon.rules.lease import MAX_CALL
from anarchon.testing.faults import FAIL_AFTER, HANG_AFTER, Fault
from property_tests.clusters.plans import (
    STORM,
    Copies,
    CutOff,
    LostReplies,
    Slow,
    Storm,
    Trouble,
)


def fault_of(trouble: Trouble) -> Fault:
    """Return what every call meets in a trouble that stands."""
    match trouble:
        case Slow(request, reply):
            return Fault(request_delay=request, reply_delay=reply)
        case LostReplies(silent):
            return HANG_AFTER if silent else FAIL_AFTER
        case Copies(after):
            return Fault(copy_after=after)
        case _:
            raise AssertionError(trouble)


def under_way_after(trouble: Trouble) -> float:
    """Return how long a call that began in a trouble may go on after it."""
    match trouble:
        case CutOff(silent=True) | LostReplies(silent=True):
            return MAX_CALL
        case Slow(request, reply):
            # what is asked arrives, though nobody waits for the answer any more
            return max(request, min(request + reply, MAX_CALL))
        case Storm():
            return max(STORM, MAX_CALL)
        case _:
            return 0.0


def way_in(trouble: Trouble) -> float:
    """Return how long a request, or its copy, may be on its way in a trouble."""
    match trouble:
        case Copies(after):
            return after
        case Slow(request):
            return request
        case Storm():
            return STORM
        case _:
            return 0.0
