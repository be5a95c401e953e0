"""What holds for the ends in every cluster: of attempts, of stops, of schedulers.

Each invariant is a function from the tale of a play to what broke it, as in
``invariants``, which has those of leases and slots.
"""

from collections import Counter, defaultdict
from math import inf

from anarchon.events import Failure, Interrupted, RunEvent, Start, Success
from anarchon.model import CancelReason, RunRecord, State, Status
from anarchon.protocol import Claim
from property_tests.clusters.invariants import BACKOFF, SLACK, Complaints, shielded
from property_tests.clusters.leases import Attempt, Way
from property_tests.clusters.plans import LEASE
from property_tests.clusters.tale import Act, Life, Tale

# closing may take so long after the handlers were given their time
CLOSING = 5.0


def attempts_stay_within_the_limit(tale: Tale) -> Complaints:
    """Attempts without hand-overs never exceed the limit; a hand-over costs none."""
    runs: defaultdict[tuple[str, int], list[Attempt]] = defaultdict(list)
    for attempt in tale.leases.attempts:
        runs[attempt.claim.job, attempt.claim.slot].append(attempt)
    for (job, slot), attempts in runs.items():
        limit = tale.plan.job(job).max_attempts
        counted = len([a for a in attempts if a.way is not Way.RELEASED])
        if counted > limit:
            yield f"{job} {slot}: {counted} attempts of {limit}"
        if attempts[-1].given_up and counted < limit:
            yield f"{job} {slot}: given up after {counted} attempts of {limit}"
        if [*range(1, len(attempts) + 1)] != [a.claim.attempt for a in attempts]:
            yield f"{job} {slot}: attempts out of order"


def slots_are_granted_in_order_and_time(tale: Tale) -> Complaints:
    """Nothing is granted before its slot by the store's clock, or after a newer one."""
    newest: defaultdict[str, int] = defaultdict(int)
    for attempt in tale.leases.attempts:
        job, slot, number = attempt.name
        if number > 1:
            # its slot was reached; if it isn't now, the store's clock was set back
            continue
        if slot > attempt.granted.now:
            yield f"{attempt.granted.time:.3f} {attempt.name} granted early"
        if slot <= newest[job]:
            yield f"{attempt.granted.time:.3f} {attempt.name} granted out of order"
        newest[job] = max(newest[job], slot)


def history_has_each_attempt(tale: Tale) -> Complaints:
    """There is one record for each attempt, with the end that it had in the store."""
    if len(tale.on_record) != len(tale.records):
        yield "an attempt has two records"
    if set(tale.on_record) != {attempt.name for attempt in tale.leases.attempts}:
        yield "the records aren't those of the attempts that were granted"
        return
    for attempt in tale.leases.attempts:
        record, runner = tale.on_record[attempt.name], attempt.claim.instance_id
        found = record.status, record.handed_over, record.instance_id
        if found != (*_end_of(attempt), runner):
            yield f"{attempt.name} {attempt.way} is on record as {found}"


def _end_of(attempt: Attempt) -> tuple[Status, bool]:
    if attempt.way is None:
        return Status.RUNNING, False
    if attempt.end is not None:
        return attempt.end.status, False
    return Status.INTERRUPTED, attempt.way is Way.RELEASED


def history_has_the_true_end(tale: Tale) -> Complaints:
    """A success has returned, a failure has raised or timed out; and the reverse.

    The reverse holds only for a healthy runner: another one may have lost the run.
    """
    for act in tale.acts:
        record = tale.on_record.get(act.name)
        if record is None:
            continue
        if not _can_be(record, act):
            yield f"{act.name} {act.how} ({act.why}), on record as {record.status}"
        since = max(act.began, act.ended - LEASE) - BACKOFF
        due = _due_end(act)
        if due is None or not tale.healthy(act.instance, since, act.ended + BACKOFF):
            continue
        if record.status is not due:
            yield f"{act.name} {act.how} at {act.ended:.3f}, on record {record.status}"


def _can_be(record: RunRecord, act: Act) -> bool:
    match record.status:
        case Status.SUCCESS:
            # to return in spite of a stop is to be done
            return act.how == "returned" and act.why in {None, CancelReason.STOP}
        case Status.FAILED:
            return act.why is CancelReason.TIMEOUT or act.how == "raised"
        case _:
            return True


def _due_end(act: Act) -> Status | None:
    if act.why is CancelReason.TIMEOUT:
        return Status.FAILED
    if act.why is not None or act.how not in {"returned", "raised"}:
        return None
    return Status.SUCCESS if act.how == "returned" else Status.FAILED


def nothing_ends_that_never_began(tale: Tale) -> Complaints:
    """Where a success or a failure is on record, there was a handler."""
    called = {act.name for act in tale.acts}
    for name, record in tale.on_record.items():
        if record.status in {Status.SUCCESS, Status.FAILED} and name not in called:
            yield f"{name} was never called, on record as {record.status}"


def ends_are_told(tale: Tale) -> Complaints:
    """Each start is told once, and so is its end, unless its instance crashed.

    What was won in a stop is handed over before it begins, so has an end alone.
    """
    called = Counter((*act.name, act.instance) for act in tale.acts)
    begun = Counter(_told(tale, Start))
    ended = Counter(_told(tale, Success, Failure, Interrupted))
    for name in begun | ended | called:
        if not called[name] <= begun[name] <= 1 or ended[name] > 1:
            yield f"{name}: {begun[name]} starts and {ended[name]} ends were told"
    # an end may be written yet when the handler is over
    crashed = {
        (*act.name, act.instance)
        for life in tale.lives
        if life.crashed
        for act in tale.acts_in(life)
    }
    for name in begun.keys() - ended.keys() - crashed:
        yield f"{name}: no end was told"


def _told(tale: Tale, *kinds: type[RunEvent]) -> list[tuple[str, int, int, str]]:
    # that a run ended without its runner is told beside, by whoever noticed
    return [
        (entry.what.job, entry.what.slot, entry.what.attempt, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, kinds)
        if not (isinstance(entry.what, Interrupted) and entry.what.final)
    ]


def final_ends_are_told(tale: Tale) -> Complaints:
    """That a run ended for good without its runner is told by who noticed."""
    told = {
        (entry.what.job, entry.what.slot, entry.what.attempt)
        for entry in tale.events
        if isinstance(entry.what, Interrupted) and entry.what.final
    }
    for attempt in tale.leases.attempts:
        step = attempt.gone
        if step is None or not isinstance(step.asked, Claim) or not step.ends_runs:
            continue
        who, name = step.asked.instance_id, attempt.name
        since, until = step.time - SLACK, step.time + SLACK
        heard = tale.healthy(who, since, until, whatever_the_store=True)
        if heard and name not in told and attempt.way is not Way.TAKEN:
            yield f"{step.time:.3f} {name}: {who} didn't tell its end"


def stops_are_bounded(tale: Tale) -> Complaints:
    """A stop ends within its time, and nothing is sent to the store after it."""
    for life in tale.lives:
        if life.crashed or life.stopped == inf:
            continue
        if life.ended > _stop_limit(tale, life):
            yield f"{life.instance}: stop at {life.stopped:.3f}, over {life.ended:.3f}"
        if life.later != life.calls:
            yield f"{life.instance}: called after its stop at {life.stopped:.3f}"


def stops_cancel_handlers(tale: Tale) -> Complaints:
    """A stop cancels what is in progress at once, and nothing is begun after it."""
    for life in tale.lives:
        for act in tale.acts_in(life):
            limit = life.stopped + SLACK + shielded(tale, act)
            if act.began > life.stopped:
                yield f"{act.name} on {act.instance}: begun after its stop"
            elif min(act.cancelled, act.ended) > limit and tale.awake(
                act.instance, life.stopped, limit
            ):
                yield f"{act.name} on {act.instance}: not cancelled at its stop"


def stops_hand_over(tale: Tale) -> Complaints:
    """A handler that a stop cancelled is handed over, if the store can be reached."""
    for act in tale.acts:
        record = tale.on_record.get(act.name)
        handed_over = record is not None and record.handed_over
        stopped = act.why is CancelReason.STOP and act.how == "cancelled"
        in_time = act.ended < act.cancelled + tale.plan.stop_timeout - SLACK
        since, until = act.cancelled - LEASE - BACKOFF, act.ended + SLACK
        reached = not tale.troubled(act.instance, since, until)
        if stopped and in_time and reached and not handed_over:
            yield f"{act.name} on {act.instance}: not handed over at {act.ended:.3f}"


def _stop_limit(tale: Tale, life: Life) -> float:
    # the block waits for handlers that ignore a cancellation, and can't move if frozen
    waits = [act.ended for act in tale.acts_in(life) if act.cancelled < inf]
    waits += [s.ended for s in tale.spells if s.sleeping and s.who == life.instance]
    grace = tale.plan.stop_timeout + CLOSING + SLACK
    handlers = max((wait for wait in waits if wait <= life.ended), default=0.0)
    return max(life.stopped, handlers) + grace


def nothing_leaks(tale: Tale) -> Complaints:
    """When the last stop is over, no task is left that wasn't there before."""
    yield from tale.leaked


def schedulers_live_on(tale: Tale) -> Complaints:
    """No handler, no callback and nothing that the store does ends a scheduler."""
    if tale.death is not None:
        yield f"the cluster died: {tale.death!r}"
        return
    states = {life.instance: life.state for life in tale.lives}
    for who in tale.plan.names:
        if states.get(who) != State.RUNNING:
            yield f"{who}: at the end it is {states.get(who)}"
