"""What becomes of each slot: it is run once, in its time, or skipped with a reason."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from anarchon.events import Skip, Start
from anarchon.model import Overlap
from anarchon.protocol import Claim, Overlapping
from property_tests.clusters.invariants import BACKOFF, CALL, SLACK, Complaints
from property_tests.clusters.leases import Leases
from property_tests.clusters.plans import CATCH_UP, HEARTBEAT, JITTER, LEASE, MAX_LATE
from property_tests.clusters.tale import Life, Tale

# an untroubled claim has its answer within this; a troubled one is given up later
ANSWERED = JITTER + BACKOFF
GIVEN_UP = MAX_LATE + BACKOFF + 2 * CALL


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


def due_slots_are_told(tale: Tale) -> Complaints:
    """Each slot that comes due on an instance that is up is won or skipped there.

    In whatever trouble with the store, it is given up in the end. Not judged: where the
    instance stood still, or couldn't know what time it was.
    """
    told = _won(tale) | set(_skips(tale))
    for life in tale.lives:
        for since, until in _by_the_clock(tale, life):
            for job, slot in _due(tale, since + SLACK, until):
                if (job, slot, life.instance) not in told:
                    yield f"{job} {at(tale, slot)}: nothing of it on {life.instance}"


def _by_the_clock(tale: Tale, life: Life) -> Iterator[tuple[float, float]]:
    mine = [spell for spell in tale.spells if spell.who == life.instance]
    for since, until in tale.between(life, mine):
        yield since, until - ANSWERED
    lost = [spell for spell in mine if spell.sleeping or spell.clock or spell.store]
    for since, until in tale.between(life, lost):
        yield since, until - GIVEN_UP


def _won(tale: Tale) -> set[tuple[str, int, str]]:
    claims = (attempt.claim for attempt in tale.leases.attempts)
    return {(claim.job, claim.slot, claim.instance_id) for claim in claims}


def _skips(tale: Tale, life: Life | None = None) -> Counter[tuple[str, int, str]]:
    return Counter(
        (entry.what.job, entry.what.slot, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, Skip)
        if life is None
        or (life.instance == entry.instance and life.began <= entry.time <= life.ended)
    )


def _due(tale: Tale, since: float, until: float) -> Iterator[tuple[str, int]]:
    if since >= until:
        return
    begin, end = tale.store_time(since), tale.store_time(until)
    for job in tale.plan.jobs:
        for number in range(int(begin // job.period) + 1, int(end // job.period) + 1):
            yield job.name, number * job.period * 1000


def at(tale: Tale, slot: int) -> str:
    """Name a slot by the second of the play."""
    return f"slot {slot / 1000 - tale.store_epoch:g}"


def slots_are_skipped_once(tale: Tale) -> Complaints:
    """A scheduler skips a slot once, and again only if its time was set back.

    That is the store's, or its own where nobody could tell it the store's.
    """
    for life in tale.lives:
        steps = [at for at, _ in tale.store_steps if life.asked <= at <= life.ended]
        steps += _alone_with_its_clock(tale, life)
        for (job, slot, who), count in _skips(tale, life).items():
            if count > 1 + len(steps):
                yield f"{job} {at(tale, slot)}: skipped {count} times on {who}"


def _alone_with_its_clock(tale: Tale, life: Life) -> list[float]:
    mine = [spell for spell in tale.spells if spell.who == life.instance]
    troubles = [spell for spell in mine if not spell.clock]
    return [
        step.began
        for step in mine
        if step.clock and life.asked <= step.began <= life.ended
        if any(t.touches(t.who, step.began, step.ended) for t in troubles)
    ]


def starts_catch_the_latest_slot_up(tale: Tale) -> Complaints:
    """A start asks for the latest slot, if it is younger than ``catch_up``."""
    asked = {
        (step.job, step.slot, step.asked.instance_id)
        for step in tale.steps
        if isinstance(step.asked, Claim)
    }
    for life in tale.lives:
        who, now = life.instance, tale.store_time(life.began)
        if not tale.healthy(who, life.began, life.began + ANSWERED + SLACK):
            continue
        for job in tale.plan.jobs:
            slot = int(now // job.period) * job.period
            if now - slot < CATCH_UP and (job.name, slot * 1000, who) not in asked:
                yield f"{life.began:.3f} {who}: {job.name} was not caught up"


def what_a_freeze_missed_is_not_made_up(tale: Tale) -> Complaints:
    """Of the slots that passed while an instance was frozen, one at most is told."""
    for spell in tale.spells:
        until = spell.ended + GIVEN_UP
        stepped = any(spell.began <= at <= until for at, _ in tale.store_steps)
        if not spell.sleeping or stepped:
            continue
        passed = set(_due(tale, spell.began, spell.ended - SLACK))
        told = {
            (entry.what.job, entry.what.slot)
            for entry in tale.events
            if isinstance(entry.what, Skip | Start)
            if entry.instance == spell.who and spell.ended <= entry.time <= until
            if isinstance(entry.what, Skip) or entry.what.attempt == 1
        }
        for job, count in Counter(job for job, _ in told & passed).items():
            if count > 1 and tale.life_at(spell.who, spell.began) is not None:
                yield f"{job}: {spell.who} made up {count} slots at {spell.ended:.3f}"


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
    # what passed in an earlier life is caught up in this one, and may be late again
    begun = max(
        life.began for life in tale.lives if life.instance == who and life.began <= time
    )
    since = max(begun, time - passed)
    well = any(
        min(until, time) - max(begin, since) > ANSWERED + CALL
        for begin, until in tale.health(who)
    )
    return passed > MAX_LATE - SLACK and not well


def _stuck(tale: Tale, skip: Skip, time: float) -> bool:
    """Tell whether a handler of its own goes on though it was told to end, or is lost.

    It is lost, for its own instance, when no beat was answered for a lease.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        if (act.job, act.instance) != (skip.job, skip.instance_id) or attempt is None:
            continue
        kept = max((s.time for s in attempt.kept if s.time <= time), default=0.0)
        told = act.cancelled <= time or tale.shielded_until(act) >= time
        unsure = tale.unsure(act.instance, time)
        adrift = kept + LEASE - CALL - HEARTBEAT < time or unsure
        if act.began <= time <= act.ended and (told or adrift):
            return True
    return False


def _overlapped(tale: Tale, skip: Skip, time: float) -> bool:
    """Tell whether the store had just said so, to this very instance."""
    return any(
        isinstance(step.reply, Overlapping)
        for step in tale.steps
        if (step.job, step.slot) == (skip.job, skip.slot)
        if isinstance(step.asked, Claim)
        if step.asked.instance_id == skip.instance_id
        if time - CALL - SLACK <= step.time <= time
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
