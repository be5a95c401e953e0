"""One record for each attempt, with the end that really happened."""

from math import inf

from anarchon.model import CancelReason, RunRecord, Status
from property_tests.clusters.invariants import BACKOFF, CALL, SLACK, Complaints
from property_tests.clusters.leases import Attempt, Way
from property_tests.clusters.plans import HEARTBEAT, LEASE
from property_tests.clusters.tale import Act, Tale


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
        # its run can be lost while it ends, so from when it began to end
        since = max(act.began, min(act.cancelled, act.ended) - LEASE) - BACKOFF
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
            return act.why is CancelReason.TIMEOUT or (
                act.how == "raised" and act.why is None
            )
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


def ends_are_stored(tale: Tale) -> Complaints:
    """An end that could not be written is, once the store is reached and holds its run.

    Until then the heartbeat goes on, so that nobody takes up what has come to its end.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        ended = act.how in {"returned", "raised"} and act.why is None
        if attempt is None or not ended:
            continue
        for since, until in tale.health(act.instance):
            first = max(since, act.ended)
            limit = first + BACKOFF + CALL + SLACK
            alive = _kept(attempt, first) + LEASE > first + HEARTBEAT
            alive |= _could_beat(tale, act, since)
            if any(act.began <= at <= limit for at, _ in tale.store_steps):
                # by the store's clock its lease may be over at any moment
                continue
            stored = attempt.way is Way.FINISHED and _left(attempt) < limit
            if act.ended <= first and limit < until and alive and not stored:
                yield f"{act.name} on {act.instance}: not stored by {limit:.3f}"
                break


def _could_beat(tale: Tale, act: Act, until: float) -> bool:
    return any(
        spell.beats and spell.who == act.instance
        for spell in tale.spells
        if spell.began <= act.ended <= spell.ended == until
    )


def _kept(attempt: Attempt, time: float) -> float:
    return max(step.time for step in attempt.kept if step.time <= time)


def _left(attempt: Attempt) -> float:
    return attempt.left.time if attempt.left is not None else inf
