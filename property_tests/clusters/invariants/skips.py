"""Why a slot is skipped: taken, superseded, overlapping or late, if it is so."""

from anarchon.events import Skip, Start
from anarchon.model import Overlap
from anarchon.protocol import Claim, Overlapping
from property_tests.clusters.invariants import CALL, SLACK, Complaints
from property_tests.clusters.invariants.slots import ANSWERED, at
from property_tests.clusters.leases import Leases
from property_tests.clusters.plans import HEARTBEAT, LEASE, MAX_LATE
from property_tests.clusters.tale import Tale


def skips_have_the_right_reason(tale: Tale) -> Complaints:
    """A slot is skipped as taken, overlapping, superseded or late only if it is so."""
    for entry in tale.events:
        if isinstance(entry.what, Skip) and not _is_right(tale, entry.what, entry.time):
            skip, slot = entry.what, at(tale, entry.what.slot)
            yield f"{entry.time:.3f} {entry.instance}: {skip.job} {slot} {skip.reason}"


def _is_right(tale: Tale, skip: Skip, time: float) -> bool:
    granted = {
        attempt.claim.slot
        for attempt in tale.leases.attempts
        if attempt.claim.job == skip.job and attempt.granted.time <= time
    }
    match skip.reason:
        case "taken":
            return skip.slot in granted
        case "superseded":
            return skip.slot not in granted and skip.slot < max(granted, default=0)
        case "overlap":
            return _stuck(tale, skip, time) or _overlapped(tale, skip, time)
        case "late":
            return _late(tale, skip, time)
        case _:
            return False


def _late(tale: Tale, skip: Skip, time: float) -> bool:
    """Tell whether it was too late, and the instance wasn't well for long enough."""
    who, passed = skip.instance_id, tale.store_time(time) - skip.slot / 1000
    if tale.unsure(who, time):
        # after a step of a clock it can't know how late it is
        return True
    # a start catches up what an earlier life has told of
    began = max(
        life.began for life in tale.lives if life.instance == who and life.began <= time
    )
    since = max(began, time - passed)
    well = any(
        min(until, time) - max(begin, since) > ANSWERED + CALL
        for begin, until in tale.health(who)
    )
    again = _told(tale, skip, began, time)
    passed += tale.set_back(since, time)
    return passed > MAX_LATE - SLACK and (again or not well)


def _told(tale: Tale, skip: Skip, since: float, until: float) -> bool:
    """Tell whether a slot was told before, so that only a clock brought it back."""
    return any(
        since <= entry.time < until and entry.instance == skip.instance_id
        for entry in tale.events
        if isinstance(entry.what, Skip | Start)
        if (entry.what.job, entry.what.slot) == (skip.job, skip.slot)
    )


def _stuck(tale: Tale, skip: Skip, time: float) -> bool:
    """Tell whether a handler of its own goes on though it was told to end, or is lost.

    It is lost, for its own instance, when no beat was answered for a lease.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        if (act.job, act.instance) != (skip.job, skip.instance_id) or attempt is None:
            continue
        # a beat that is taken at the same instant may come after it
        beats = (s for s in attempt.kept if s.time < time and not tale.is_copy(s))
        kept = max((beat.time for beat in beats), default=time)
        told = act.cancelled <= time or tale.shielded_until(act) >= time
        unsure = tale.unsure(act.instance, time)
        adrift = kept + LEASE - CALL - HEARTBEAT < time or unsure
        if act.began <= time <= act.ended and (told or adrift):
            return True
    return False


def _overlapped(tale: Tale, skip: Skip, time: float) -> bool:
    """Tell whether the store had just said so, to this very instance.

    Who stood still meanwhile reads it when it moves again.
    """
    who = skip.instance_id
    return any(
        isinstance(step.reply, Overlapping)
        for step in tale.steps
        if (step.job, step.slot) == (skip.job, skip.slot)
        if isinstance(step.asked, Claim)
        if step.asked.instance_id == who and step.time <= time
        if time - CALL - SLACK <= step.time or tale.slept(who, step.time, time)
    )


def overlaps_are_alive(tale: Tale) -> Complaints:
    """The store says "overlap" only while another run's lease is alive."""
    leases = Leases()
    for step in tale.steps:
        if isinstance(step.reply, Overlapping):
            alive = leases.alive(step.job, step.now, but=step.slot)
            if not any(other.claim.slot == step.reply.slot for other in alive):
                yield f"{step.time:.3f} {step.job}: overlap without a live run"
            if tale.plan.job(step.job).overlap is Overlap.ALLOW:
                yield f"{step.time:.3f} {step.job}: overlap where it is allowed"
        leases.take(step)
