"""One runner at a time, and who may not go on: what holds for leases."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import inf

from anarchon.events import Lost
from anarchon.model import CancelReason, Overlap
from anarchon.protocol import Answer, Claim
from property_tests.clusters.invariants import CALL, SLACK, Complaints
from property_tests.clusters.leases import Attempt, Leases
from property_tests.clusters.plans import HEARTBEAT, LEASE
from property_tests.clusters.tale import Act, Tale


def no_two_live_leases(tale: Tale) -> Complaints:
    """With ``overlap="skip"``, nothing is granted beside a live lease, by store time.

    A step of the store's clock suspends nothing: it is by that clock that they overlap.
    """
    leases = Leases()
    for step in tale.steps:
        current = leases.current.get((step.job, step.slot))
        new = leases.is_new(step)
        if new and current and current.alive(step.now):
            yield f"{step.time:.3f} {step.job} granted over {current.name}, alive"
        if new and tale.plan.job(step.job).overlap is Overlap.SKIP:
            for other in leases.alive(step.job, step.now, but=step.slot):
                yield f"{step.time:.3f} {step.job} granted beside {other.name}, alive"
        leases.take(step)


def only_the_current_token_acts(tale: Tale) -> Complaints:
    """Nothing is accepted under a token that was taken over, or that handed over."""
    leases = Leases()
    for step in tale.steps:
        accepted = isinstance(step.reply, Answer) and step.reply.accepted
        if accepted and not leases.may_act(step):
            yield f"{step.time:.3f} {step.job}: {step.operation} of a spent token"
        leases.take(step)


def attempts_run_where_they_were_won(tale: Tale) -> Complaints:
    """The handler of an attempt is called once, by who was granted it."""
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        granted = attempt and (*attempt.name, attempt.claim.instance_id)
        if granted != (*act.name, act.instance):
            yield f"{act.began:.3f} {act.instance} runs {act.name}, not its own"
    for name, count in Counter(act.name for act in tale.acts).items():
        if count > 1:
            yield f"{name} was called {count} times"


def handlers_begin_under_a_lease(tale: Tale) -> Complaints:
    """No handler is called for a run that is another's by then, or anybody's to take.

    Not judged by time where the store's clock was set meanwhile.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        if attempt is None:
            continue
        if attempt.left is not None and attempt.left.time < act.began:
            yield f"{act.name} on {act.instance}: begun when it was {attempt.way}"
        kept = max(s.time for s in attempt.kept if s.time <= act.began)
        stepped = any(kept <= at <= act.began for at, _ in tale.store_steps)
        if act.began > kept + LEASE + SLACK and not stepped:
            yield f"{act.name} on {act.instance}: begun without a lease"


def one_handler_of_a_run_at_a_time(tale: Tale) -> Complaints:
    """No instance begins a run that it still runs, nor a job that is stuck there.

    A job is stuck where an older handler goes on though it was told to end.
    """
    for act in tale.acts:
        for other in tale.acts:
            if (other.job, other.instance) != (act.job, act.instance):
                continue
            if not other.began < act.began < other.ended:
                continue
            if other.ctx.slot == act.ctx.slot or other.cancelled < act.began:
                yield f"{act.name} on {act.instance}: begun beside {other.name}"


def nobody_takes_over_from_itself(tale: Tale) -> Complaints:
    """An instance asks for no further attempt of a run while it has a handler of it."""
    for attempt in tale.leases.attempts:
        granted, way = attempt.granted.time, tale.longest_way + SLACK
        for act in tale.acts:
            same = act.name[:2] == attempt.name[:2]
            mine = same and act.instance == attempt.claim.instance_id
            if mine and act.began < granted - way and granted < act.ended:
                yield f"{attempt.name}: granted beside its own {act.name}"


def the_lost_are_cancelled(tale: Tale) -> Complaints:
    """Who lost a run is cancelled within a heartbeat of being able to know.

    An instance that is frozen or cut off can't know yet; it has the time from then on.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        # a handler that was cancelled for another reason needs no second cancellation
        felt = min(act.cancelled, act.ended)
        for since in _could_know(tale, act, attempt) if attempt is not None else ():
            if felt > since + HEARTBEAT + SLACK:
                yield f"{act.name} on {act.instance}: lost at {since:.3f}, unnoticed"


def _could_know(tale: Tale, act: Act, attempt: Attempt) -> Iterator[float]:
    # its own finish is no loss: it was given up, though it goes on
    gone = attempt.gone.time if _is_taken(attempt) and attempt.gone else inf
    given_up = _given_up(tale, act)
    for since, until in tale.health(act.instance):
        first = max(since, gone)
        if act.began <= first and first + HEARTBEAT + SLACK < min(until, given_up):
            yield first


def _given_up(tale: Tale, act: Act) -> float:
    """Return when a run was left after silence, if its handler went on for so long.

    It beats no more from then on, and so can't learn that it is refused as well.
    """
    silenced = (
        entry.time
        for entry in tale.events
        if isinstance(entry.what, Lost) and entry.what.cause == "silence"
        if entry.instance == act.instance
        if (entry.what.job, entry.what.slot, entry.what.attempt) == act.name
    )
    return next(silenced, inf) + tale.plan.stop_timeout


def the_unheard_are_cancelled(tale: Tale) -> Complaints:
    """Silence may last for the lease that began with the last beat that was taken.

    It leaves a handler's shield alone, as a refusal doesn't.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        felt = min(act.cancelled, act.ended)
        for beat in _last_beats(attempt) if attempt is not None else ():
            end = beat + LEASE
            limit = max(end, tale.shielded_until(act)) + SLACK
            # one that begins later began with a beat of its own
            runs_on = act.began < end and limit < felt
            if runs_on and tale.awake(act.instance, beat, limit):
                yield f"{act.name} on {act.instance}: no beat since {beat:.3f}"


def _last_beats(attempt: Attempt) -> Iterator[float]:
    """Yield the beats after which none came for a whole lease."""
    beats = [step.time for step in attempt.kept]
    for beat, following in pairwise([*beats, inf]):
        if beat + LEASE + SLACK < following:
            yield beat


def _is_taken(attempt: Attempt, by: float = inf) -> bool:
    """Tell whether somebody's claim had ended it by then."""
    gone = attempt.gone
    return gone is not None and gone.time <= by and isinstance(gone.asked, Claim)


def losses_are_true(tale: Tale) -> Complaints:
    """A run is told as lost, refused, only when it is another's; or after silence."""
    attempts = {attempt.name: attempt for attempt in tale.leases.attempts}
    for entry in tale.events:
        if not isinstance(entry.what, Lost):
            continue
        lost = entry.what
        attempt = attempts[lost.job, lost.slot, lost.attempt]
        taken = _is_taken(attempt, by=entry.time)
        heard = tale.healthy(entry.instance, entry.time - LEASE, entry.time)
        if heard if lost.cause == "silence" else not taken:
            yield f"{entry.time:.3f} {entry.instance}: {lost.job} lost by {lost.cause}"


def stubborn_handlers_are_given_up(tale: Tale) -> Complaints:
    """The lease of a handler that goes on for long though it was told to end runs out.

    After a timeout its run is finished first, and its lease kept until the store has
    answered. A copy of a beat that arrives later may keep it for a while.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        limit = act.cancelled + tale.plan.stop_timeout + CALL + SLACK
        if attempt is None or limit > act.ended:
            continue
        kept = attempt.kept[-1].time
        awake = tale.awake(act.instance, act.cancelled, limit)
        asking = act.why is CancelReason.TIMEOUT and tale.troubled(
            act.instance, act.cancelled, kept
        )
        if awake and not asking and kept > limit + tale.longest_way:
            yield f"{act.name} on {act.instance}: its lease is kept at {kept:.3f}"
        due = act.why is CancelReason.TIMEOUT and limit < tale.over
        late = attempt.left is None or attempt.left.time > limit
        if due and late and tale.healthy(act.instance, act.cancelled - LEASE, limit):
            yield f"{act.name} on {act.instance}: not finished by {limit:.3f}"
