"""What holds for ends on stores that only grant each slot once.

Each invariant is a function from the tale of a play to what broke it, as in
``invariants``. Times are the loop's, in seconds.
"""

from collections import Counter

from anarchon.events import Error, Failure, Interrupted, RunEvent, Start, Success
from anarchon.model import CancelReason, Status
from anarchon.rules.lease import MAX_CALL
from property_tests.clusters.claims_only.winners import can_tell, is_ahead
from property_tests.clusters.invariants import SLACK, Complaints
from property_tests.clusters.tale import Act, Life, Tale


def ends_are_on_record(tale: Tale) -> Complaints:
    """How a handler ended is on record, if its instance could write it in time.

    Only a runner that is gone, or kept from the store for long, leaves a run running.
    """
    for act in tale.acts:
        record, due = tale.on_record.get(act.name), due_end(act)
        if record is None or due is None or record.status is due:
            continue
        if record.status is Status.FAILED and took_too_long(tale, act):
            continue
        life = _life_of(tale, act)
        if record.status is not Status.RUNNING or could_tell(tale, act, life):
            yield f"{act.name} {act.how} ({act.why}), on record as {record.status}"


def due_end(act: Act) -> Status | None:
    """Return how a handler's end has to be told; ``None`` if it never ended."""
    match act.how, act.why:
        case (("returned" | "raised" | "cancelled"), CancelReason.TIMEOUT):
            return Status.FAILED
        case "returned", _:
            return Status.SUCCESS
        case "raised", None:
            return Status.FAILED
        case (("raised" | "cancelled"), _):
            return Status.INTERRUPTED
        case _:
            return None


def took_too_long(tale: Tale, act: Act) -> bool:
    """Tell whether a handler ended by itself, but so late that it counts as failed."""
    timeout = tale.plan.job(act.job).timeout
    return timeout is not None and act.ended - act.began > timeout - SLACK


def _life_of(tale: Tale, act: Act) -> Life:
    return next(life for life in reversed(tale.lives) if act in tale.acts_in(life))


def could_tell(tale: Tale, act: Act, life: Life) -> bool:
    """Tell whether an instance could write the end of a handler in time."""
    # what is written at once is written in a stop as well
    before, after = act.ended - MAX_CALL, act.ended + SLACK
    in_time = not life.crashed and after < life.stopped + tale.plan.stop_timeout
    at_once = in_time and not tale.troubled(act.instance, before, after)
    return at_once or can_tell(tale, life, act.ended)


def nothing_is_handed_over(tale: Tale) -> Complaints:
    """No record and no event speaks of a hand-over: nobody would take it."""
    for record in tale.records:
        if record.handed_over or record.attempt != 1:
            yield f"{record.job} {record.slot} is on record as handed over"
    for entry in tale.events:
        told = entry.what
        if isinstance(told, Interrupted) and (told.handed_over or not told.final):
            yield f"{entry.time:.3f} {entry.instance}: told as not final"


def ends_are_told(tale: Tale) -> Complaints:
    """Each start is told once, and so is its end, unless its instance crashed.

    What was won in a stop never begins, so has an end alone.
    """
    called = Counter((*act.name, act.instance) for act in tale.acts)
    begun = Counter(_told(tale, Start))
    ended = Counter(_told(tale, Success, Failure, Interrupted))
    for name in begun | ended | called:
        if not called[name] <= begun[name] <= 1 or ended[name] > 1:
            yield f"{name}: {begun[name]} starts and {ended[name]} ends were told"
    crashed = {
        (*act.name, act.instance)
        for life in tale.lives
        if life.crashed
        for act in tale.acts_in(life)
    }
    for name in begun.keys() - ended.keys() - crashed:
        yield f"{name}: no end was told"


def _told(tale: Tale, *kinds: type[RunEvent]) -> list[tuple[str, int, int, str]]:
    return [
        (entry.what.job, entry.what.slot, entry.what.attempt, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, kinds)
    ]


def timeouts_are_kept(tale: Tale) -> Complaints:
    """A handler is cancelled when its timeout has passed, by a clock that moves."""
    for act in tale.acts:
        timeout = tale.plan.job(act.job).timeout
        if timeout is None:
            continue
        limit = max(act.began + timeout, tale.shielded_until(act)) + SLACK
        late = min(act.cancelled, act.ended) > limit
        if late and tale.awake(act.instance, act.began, limit):
            yield f"{act.name} on {act.instance}: goes on after its timeout"


def errors_have_causes(tale: Tale) -> Complaints:
    """No call to the store fails without any trouble."""
    for entry in tale.events:
        if isinstance(entry.what, Error) and not is_ahead(tale, entry):
            since = entry.time - MAX_CALL - SLACK
            if tale.healthy(entry.instance, since, entry.time):
                yield f"{entry.time:.3f} {entry.instance}: {entry.what.error}"
