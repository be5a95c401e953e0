"""What becomes of each slot: it is run once, in its time, or skipped with a reason."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from anarchon.events import Skip, Start
from anarchon.protocol import Claim
from property_tests.clusters.invariants import BACKOFF, CALL, SLACK, Complaints
from property_tests.clusters.plans import CATCH_UP, JITTER, MAX_LATE
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
        life = tale.life_at(spell.who, spell.began)
        if life is None:
            continue
        until = min(spell.ended + GIVEN_UP, life.ended)
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
            if count > 1:
                yield f"{job}: {spell.who} made up {count} slots at {spell.ended:.3f}"
