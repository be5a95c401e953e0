"""How an instance asks: in which order, under which token, and for how long."""

from math import inf

from anarchon.events import Skip
from anarchon.model import Overlap, Reason
from anarchon.protocol import Claim, Done
from property_tests.clusters.invariants import BACKOFF, CALL, SLACK, Complaints
from property_tests.clusters.leases import Attempt
from property_tests.clusters.plans import HEARTBEAT, JITTER
from property_tests.clusters.tale import Spell, Tale


def what_is_over_is_watched_no_more(tale: Tale) -> Complaints:
    """A backup that was told of a run's end doesn't ask for it again.

    Unless its timer comes to the slot once more, and leaves it to the watch again.
    """
    over: dict[tuple[float, str, str, int], float] = {}
    for step in tale.steps:
        claim = step.asked
        if not isinstance(claim, Claim):
            continue
        who = claim.instance_id
        life = tale.life_at(who, step.time)
        if life is None:
            continue
        run = life.began, who, claim.job, claim.slot
        told = over.get(run, inf)
        if claim.mode is not Reason.TAKEOVER or _late(tale, claim, told, step.time):
            over.pop(run, None)
        wait = 2 * HEARTBEAT + CALL + SLACK + tale.longest_way
        if step.time > over.get(run, inf) + wait:
            yield f"{step.time:.3f} {who}: still watches {claim.job} {claim.slot}"
        heard = tale.healthy(who, step.time - SLACK, step.time + SLACK)
        final = claim.mode is Reason.TAKEOVER and isinstance(step.reply, Done)
        if final and heard and not tale.is_copy(step):
            over.setdefault(run, step.time)


def _late(tale: Tale, claim: Claim, since: float, until: float) -> bool:
    """Tell whether its timer gave the slot up as late meanwhile, mostly unheard."""
    return any(
        isinstance(entry.what, Skip)
        and entry.what.reason == "late"
        and entry.instance == claim.instance_id
        and (entry.what.job, entry.what.slot) == (claim.job, claim.slot)
        for entry in tale.events
        if since < entry.time <= until
    )


def starts_ask_for_the_newest_slot_first(tale: Tale) -> Complaints:
    """Where runs don't overlap, a newer slot is asked for before an older run (T7).

    Granting it replaces the older run, if that one's lease is over; the other way round
    the newer slot would be skipped. One that comes due later comes when it comes.
    """
    for life in tale.lives:
        until = life.began + JITTER + SLACK
        older: dict[str, int] = {}
        for step in tale.steps:
            claim = step.asked
            if not isinstance(claim, Claim) or not life.began <= step.time <= until:
                continue
            if claim.instance_id != life.instance or not _skips(tale, claim):
                continue
            if claim.mode is Reason.TAKEOVER:
                older.setdefault(claim.job, claim.slot)
            elif claim.mode is Reason.CATCH_UP and claim.slot > older.get(
                claim.job, claim.slot
            ):
                yield f"{step.time:.3f} {life.instance}: asks for {claim.job} so late"


def _skips(tale: Tale, claim: Claim) -> bool:
    return tale.plan.job(claim.job).overlap is Overlap.SKIP


def what_was_won_unheard_is_asked_for(tale: Tale) -> Complaints:
    """Who won while no reply got through asks again under that very token (T5).

    Under another one it would have to wait for its own lease, and then to spend an
    attempt. Not judged: where somebody else, or a newer slot, was faster.
    """
    begun = {act.ctx.token for act in tale.acts}
    for attempt in tale.leases.attempts:
        if attempt.claim.token in begun:
            continue
        for spell in tale.spells:
            if _was_deaf(tale, spell, attempt) and not _asked(tale, spell, attempt):
                who = attempt.claim.instance_id
                yield f"{attempt.name}: won by {who}, not asked for {spell.ended:.3f}"


def _was_deaf(tale: Tale, spell: Spell, attempt: Attempt) -> bool:
    who, granted = attempt.claim.instance_id, attempt.granted.time
    return (
        spell.arrives
        and spell.who == who
        and spell.began <= granted <= spell.ended
        and tale.life_at(who, granted) is tale.life_at(who, spell.ended)
        and tale.healthy(who, spell.ended + spell.after + SLACK, _limit(spell))
    )


def _asked(tale: Tale, spell: Spell, attempt: Attempt) -> bool:
    claim, gone = attempt.claim, attempt.gone
    if gone is not None and gone.time < _limit(spell):
        asked = gone.asked
        if isinstance(asked, Claim) and asked.instance_id != claim.instance_id:
            return True
        if gone.slot > claim.slot:
            return True
    return any(
        step.token == claim.token and spell.ended <= step.time <= _limit(spell)
        for step in tale.steps
    )


def _limit(spell: Spell) -> float:
    # the last call that hung, and the wait before the next
    return spell.ended + CALL + BACKOFF + SLACK / 2
