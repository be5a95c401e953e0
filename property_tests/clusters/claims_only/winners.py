"""What holds for slots and their winners on stores that only grant each slot once.

Each invariant is a function from the tale of a play to what broke it, as in
``invariants``. Nothing is taken over or handed over there, so a slot has one attempt,
and whoever won it runs it, or writes that it didn't. Times are the loop's, in seconds.
"""

from collections import Counter
from math import inf

from anarchon.events import Error, Event, Lost, Skip, Takeover
from anarchon.model import CancelReason, Reason, Status
from anarchon.protocol import Claim, Done, Early, Late
from anarchon.rules.lease import MAX_CALL, settle_limit
from anarchon.testing.journal import Entry
from property_tests.clusters import plans
from property_tests.clusters.claims_only.due import due, health, settings, shown
from property_tests.clusters.invariants import BACKOFF, SLACK, Complaints
from property_tests.clusters.invariants.slots import at
from property_tests.clusters.leases import Attempt
from property_tests.clusters.plans import JITTER, MAX_LATE
from property_tests.clusters.tale import Life, Tale
from property_tests.clusters.witness import Step

# the default: none can be asked for here
LEASE = 30.0
# asking, and asking again
ANSWER = MAX_CALL + BACKOFF + SLACK
# how long a request may take at most
UNDER_WAY = 6.0
# a slot further ahead of the store's clock is told of, in ms
FAR_AHEAD = 60_000


def each_slot_is_granted_once(tale: Tale) -> Complaints:
    """A slot goes to one token, whoever else asks and however often."""
    granted = Counter((a.claim.job, a.claim.slot) for a in tale.leases.attempts)
    for (job, slot), times in granted.items():
        if times > 1:
            yield f"{job} {at(tale, slot)}: granted {times} times"


def runs_have_no_lease(tale: Tale) -> Complaints:
    """A handler is told of one attempt, without a fence, and never loses it."""
    for act in tale.acts:
        ctx = act.ctx
        if (ctx.attempt, ctx.reason, ctx.fence) != (1, Reason.SCHEDULED, None):
            yield f"{act.name}: {ctx.reason}, fence {ctx.fence}"
        if act.why not in {None, CancelReason.STOP, CancelReason.TIMEOUT}:
            yield f"{act.name}: cancelled as {act.why}"
        if act.cancelled < inf and act.why is None and act.how != "crashed":
            yield f"{act.name}: cancelled for no reason"
    for entry in tale.events:
        if isinstance(entry.what, Lost | Takeover):
            yield f"{entry.time:.3f} {entry.instance}: {entry.what.name} was told"


def due_slots_are_told(tale: Tale) -> Complaints:
    """Each slot that was due on a healthy instance was won or skipped there."""
    won = {
        (a.claim.job, a.claim.slot, a.claim.instance_id) for a in tale.leases.attempts
    }
    told = won | {
        (entry.what.job, entry.what.slot, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, Skip)
    }
    for who in tale.plan.names:
        for since, until in health(tale, who):
            for job, slot in due(tale, who, since + SLACK, until - JITTER - BACKOFF):
                if (job, slot, who) not in told:
                    yield f"{job} {at(tale, slot)}: nothing came of it on {who}"


def slots_are_skipped_once(tale: Tale) -> Complaints:
    """A slot is skipped once on an instance."""
    skipped = Counter(
        (entry.what.job, entry.what.slot, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, Skip)
    )
    for (job, slot, who), count in skipped.items():
        # each step of a clock may arm the slot's timer once more
        if count > 1 + len(settings(tale, who)) + tale.clock_steps(who):
            yield f"{job} {at(tale, slot)}: skipped {count} times on {who}"


def skips_have_the_right_reason(tale: Tale) -> Complaints:
    """A slot is skipped as taken, superseded, late or overlapping only if it is so."""
    for entry in tale.events:
        if isinstance(entry.what, Skip) and not _is_right(tale, entry.what, entry.time):
            skip = entry.what
            where = f"{skip.job} {at(tale, skip.slot)}"
            yield f"{entry.time:.3f} {entry.instance}: {where} as {skip.reason}"


def _is_right(tale: Tale, skip: Skip, time: float) -> bool:
    granted = [
        a
        for a in tale.leases.attempts
        if a.claim.job == skip.job and a.granted.time <= time
    ]
    slots = {a.claim.slot for a in granted}
    match skip.reason:
        case "taken":
            winner = {a.claim.instance_id for a in granted if a.claim.slot == skip.slot}
            return winner == {skip.by}
        case "superseded":
            return skip.slot not in slots and skip.slot < max(slots, default=0)
        case "overlap":
            return _stuck(tale, skip, time)
        case "late":
            return _late(tale, skip, time)
        case _:
            return False


def _stuck(tale: Tale, skip: Skip, time: float) -> bool:
    # a handler of its own goes on though it was told to end, which a shield may hide
    return any(
        act.job == skip.job and act.instance == skip.instance_id
        for act in tale.acts
        if act.began <= time <= act.ended
        if act.cancelled <= time or time <= tale.shielded_until(act)
    )


def _late(tale: Tale, skip: Skip, time: float) -> bool:
    if tale.healthy(skip.instance_id, time - MAX_LATE, time):
        return False
    passed = shown(tale, skip.instance_id, time) - skip.slot / 1000
    passed += tale.set_back(time - MAX_LATE - BACKOFF, time)
    return passed > MAX_LATE - SLACK or _unsure(tale, skip.instance_id, time)


def _unsure(tale: Tale, who: str, time: float) -> bool:
    # what it asked for before it froze is given up when it thaws
    froze = [
        spell.began
        for spell in tale.spells
        if spell.sleeping and spell.touches(who, time, time)
    ]
    return any(tale.unsure(who, moment) for moment in (time, *froze))


def nothing_is_granted_too_late(tale: Tale) -> Complaints:
    """Nobody asks for a slot more than ``max_late`` after it.

    Where the store tells no time, that is by the clock of who asks, and what was asked
    in time may arrive a while later.
    """
    for attempt in tale.leases.attempts:
        won, who = attempt.granted.time, attempt.claim.instance_id
        passed = shown(tale, who, won) - attempt.claim.slot / 1000
        if passed > MAX_LATE + UNDER_WAY + SLACK and not tale.unsure(who, won):
            yield f"{attempt.name} granted to {who} {passed:g} s after its slot"


def early_is_asked_again(tale: Tale) -> Complaints:
    """A slot for which an instance came too early is asked for in time."""
    answered = {
        (a.claim.job, a.claim.slot, a.claim.instance_id) for a in tale.leases.attempts
    }
    answered |= {
        (entry.what.job, entry.what.slot, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, Skip)
    }
    for step in tale.steps:
        if not isinstance(step.asked, Claim) or not isinstance(step.reply, Early):
            continue
        who = step.asked.instance_id
        reached = step.time + (step.slot - step.now) / 1000
        until = reached + JITTER + BACKOFF
        stepped = any(step.time <= time <= until for time, _ in tale.store_steps)
        heard = tale.healthy(who, step.time, until, whatever_the_store=True)
        if heard and not stepped and (step.job, step.slot, who) not in answered:
            yield f"{step.time:.3f} {step.job} {at(tale, step.slot)}: {who} was early"


def nothing_begins_beside_the_overdue(tale: Tale) -> Complaints:
    """While a handler goes on that was told to end, its instance begins none beside."""
    for act in tale.acts:
        for other in tale.acts:
            same = other.job == act.job and other.instance == act.instance
            # one that a crash has cut off is another machine's, as it were
            gone_on = other.cancelled < act.began < other.ended
            if same and gone_on and other.how != "crashed":
                yield f"{act.began:.3f} {act.instance}: {act.name} beside {other.name}"


def what_is_won_is_begun(tale: Tale) -> Complaints:
    """Who wins a slot while healthy begins it, as soon as the answer is there."""
    for attempt in _never_begun(tale):
        won, who = attempt.granted.time, attempt.claim.instance_id
        kept = any(
            act.job == attempt.claim.job and act.instance == who
            for act in tale.acts
            if act.cancelled <= won + ANSWER and won <= act.ended
        )
        if not kept and tale.healthy(who, won - SLACK, won + ANSWER):
            yield f"{attempt.name}: won at {won:.3f} by {who}, never begun"


def what_is_won_unheard_is_ended(tale: Tale) -> Complaints:
    """A slot that its winner doesn't begin is not left running, if it can be told.

    Not judged: what the store granted when the winner was gone, or when it had asked
    for the last time, since a request that comes after all others can't be recalled;
    nor a copy of one that was late as long as the store's clock was ahead.
    """
    late = {step.token for step in tale.steps if isinstance(step.reply, Late)}
    for attempt in _never_begun(tale):
        won, who = attempt.granted.time, attempt.claim.instance_id
        if attempt.way is not None:
            if attempt.end is None or attempt.end.status is not Status.INTERRUPTED:
                yield f"{attempt.name}: never begun, ended as {attempt.end}"
            continue
        gave_up = attempt.claim.slot / 1000 + attempt.claim.limit
        in_time = shown(tale, who, won) < gave_up - SLACK
        asked = in_time and attempt.claim.token not in late
        life = tale.life_at(who, won)
        if asked and life is not None and can_tell(tale, life, won):
            yield f"{attempt.name}: won at {won:.3f} by {who}, running for ever"


def can_tell(tale: Tale, life: Life, since: float) -> bool:
    """Tell whether an instance reached the store while it had an end to write."""
    lease = plans.LEASE if tale.plan.store is plans.Kind.LEASES else LEASE
    limit = since + settle_limit(lease, tale.plan.stop_timeout)
    return _told_in_stop(tale, life, since, limit) or any(
        life.began <= begin < life.ended
        and max(begin, since) + ANSWER < min(end, limit)
        for begin, end in tale.health(life.instance)
    )


def _told_in_stop(tale: Tale, life: Life, since: float, limit: float) -> bool:
    # a stop gives the writing its whole time, unless a crash ends it
    begin, end = max(since, life.stopped), life.stopped + tale.plan.stop_timeout
    calm = [
        spell.ended + spell.after
        for spell in tale.spells
        if spell.who == life.instance and spell.ended < inf
    ]
    return not life.crashed and any(
        begin <= free and not tale.troubled(life.instance, free + SLACK, free + ANSWER)
        for free in (begin, *calm)
        if free + ANSWER < min(end, limit)
    )


def _never_begun(tale: Tale) -> list[Attempt]:
    tokens = {act.ctx.token for act in tale.acts}
    return [a for a in tale.leases.attempts if a.claim.token not in tokens]


def blocked_jobs_are_told(tale: Tale) -> Complaints:
    """Where a slot of the future was granted, an error says that it blocks its job."""
    told = {
        (entry.instance, entry.what.job)
        for entry in tale.events
        if isinstance(entry.what, Error) and is_ahead(tale, entry)
    }
    for step in tale.steps:
        if not isinstance(step.asked, Claim) or not _is_blocked(step):
            continue
        who, since, until = step.asked.instance_id, step.time - SLACK, step.time + SLACK
        heard = tale.healthy(who, since, until, whatever_the_store=True)
        if heard and (who, step.job) not in told:
            yield f"{step.time:.3f} {step.job}: blocked, which {who} didn't tell"


def is_ahead(tale: Tale, entry: Entry[Event]) -> bool:
    """Tell whether an error is about a slot of the future, that was granted."""
    slot = entry.what.slot if isinstance(entry.what, Error) else None
    return slot is not None and slot > tale.store_time(entry.time) * 1000


def _is_blocked(step: Step) -> bool:
    newest = step.reply.newest if isinstance(step.reply, Done) else None
    return newest is not None and newest - step.now > FAR_AHEAD
