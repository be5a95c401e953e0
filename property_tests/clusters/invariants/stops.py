"""How a stop goes: what it ends, what it leaves to others, and how long it takes."""

from math import inf

from anarchon.model import CancelReason
from anarchon.protocol import Claim
from property_tests.clusters.invariants import BACKOFF, CALL, SLACK, Complaints
from property_tests.clusters.leases import Attempt
from property_tests.clusters.plans import LEASE
from property_tests.clusters.tale import Life, Tale

# closing may take so long after the handlers were given their time
CLOSING = 5.0


def stops_are_bounded(tale: Tale) -> Complaints:
    """A stop ends within its time, and nothing is sent to the store after it."""
    for life in tale.lives:
        if life.crashed or life.stopped == inf:
            continue
        if life.ended > _stop_limit(tale, life):
            yield f"{life.instance}: stop at {life.stopped:.3f}, over {life.ended:.3f}"
        if life.later != life.calls:
            yield f"{life.instance}: called after its stop at {life.stopped:.3f}"


def _stop_limit(tale: Tale, life: Life) -> float:
    """Return when a stop must be over.

    The block waits for handlers that ignore a cancellation; frozen, nothing moves.
    """
    thaws = [s.ended for s in tale.spells if s.sleeping and s.who == life.instance]
    begun = max([life.stopped, *(thaw for thaw in thaws if thaw <= life.ended)])
    waits = [act.ended for act in tale.acts_in(life) if act.ended <= life.ended]
    return max([begun + tale.plan.stop_timeout, *waits]) + CLOSING + SLACK


def stops_ask_for_nothing(tale: Tale) -> Complaints:
    """Once a stop has begun, only beats and ends are sent: no claim, check or look."""
    for life in tale.lives:
        if life.new:
            yield f"{life.instance}: asked {life.new} times after {life.stopped:.3f}"


def stops_cancel_handlers(tale: Tale) -> Complaints:
    """A stop cancels what is in progress at once, and nothing is begun after it."""
    for life in tale.lives:
        for act in tale.acts_in(life):
            limit = max(life.stopped, tale.shielded_until(act)) + SLACK
            if act.began > life.stopped:
                yield f"{act.name} on {act.instance}: begun after its stop"
            elif min(act.cancelled, act.ended) > limit and tale.awake(
                act.instance, life.stopped, limit
            ):
                yield f"{act.name} on {act.instance}: not cancelled at its stop"


def stops_hand_over(tale: Tale) -> Complaints:
    """A handler that a stop cancelled is handed over, if the store can be reached.

    One that goes on for longer than the stop may take is left to the backups.
    """
    for life in tale.lives:
        for act in tale.acts_in(life):
            record = tale.on_record.get(act.name)
            handed_over = record is not None and record.handed_over
            stopped = act.why is CancelReason.STOP and act.how == "cancelled"
            in_time = act.ended < life.stopped + tale.plan.stop_timeout - SLACK
            since, until = life.stopped - LEASE - BACKOFF, act.ended + SLACK
            reached = not tale.troubled(act.instance, since, until)
            if stopped and in_time and reached and not handed_over:
                yield f"{act.name} on {act.instance}: not handed over {act.ended:.3f}"


def stops_hold_nothing(tale: Tale) -> Complaints:
    """After a stop no lease is left to run out, whether its claim was heard or not.

    Not judged: where what it asked didn't arrive, handlers that ignored the stop, and
    a claim whose lost answer was still waited for when the stop's time was over.
    """
    for life in tale.lives:
        if life.crashed or life.stopped == inf:
            continue
        since = life.stopped - BACKOFF - CALL
        stubborn = {
            act.name
            for act in tale.acts_in(life)
            if act.ended > life.stopped + tale.plan.stop_timeout - SLACK
        }
        for attempt in tale.leases.attempts:
            mine = attempt.claim.instance_id == life.instance
            if not mine or not life.asked <= attempt.granted.time <= life.stopped:
                continue
            left = attempt.left.time if attempt.left is not None else inf
            reached = tale.reached(life.instance, since, life.ended)
            if not reached or _is_missed(tale, life, attempt):
                continue
            if left > life.ended and attempt.name not in stubborn:
                yield f"{attempt.name}: held after the stop of {life.instance}"


def _is_missed(tale: Tale, life: Life, attempt: Attempt) -> bool:
    asked = max(
        step.time
        for step in tale.steps
        if step.token == attempt.claim.token
        if isinstance(step.asked, Claim) and step.time <= life.ended
    )
    waits = asked + CALL > life.stopped + tale.plan.stop_timeout
    return waits and tale.troubled(life.instance, asked, life.ended)
