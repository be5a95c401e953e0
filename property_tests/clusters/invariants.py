"""What holds in every cluster, whatever befalls it.

Each invariant is a function from the tale of a play to what broke it, nothing if it
held. Must not know how a play is drawn or brought about. Where one is suspended, the
reason stands beside it. Times are the loop's, in seconds.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import inf

from anarchon.events import Skip
from anarchon.model import Overlap
from anarchon.protocol import Answer, Overlapping
from property_tests.clusters.leases import Attempt, Leases, Way
from property_tests.clusters.plans import (
    HEARTBEAT,
    JITTER,
    LEASE,
    MAX_LATE,
    SHIELD,
    Conduct,
)
from property_tests.clusters.tale import Act, Tale

Complaints = Iterator[str]

# the longest that a call for a run is waited for, and before it is sent again
CALL = LEASE / 4
BACKOFF = 5.0
# clocks in these plays gain or lose a hundredth, and a rounding or two comes on top
SLACK = 1.0


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


def the_lost_are_cancelled(tale: Tale) -> Complaints:
    """Who lost a run notices within a heartbeat of being able to know, or of silence.

    An instance that is frozen or cut off can't know yet; it has the time from then on.
    Silence may last for the lease that began with the last beat that the store took.
    """
    for act in tale.acts:
        attempt = tale.leases.of_token(act.ctx.token)
        # a handler that was cancelled for another reason needs no second cancellation
        felt = min(act.cancelled, act.ended)
        if attempt is None:
            continue
        for since in _could_know(tale, act, attempt):
            if felt > since + HEARTBEAT + SLACK:
                yield f"{act.name} on {act.instance}: lost at {since:.3f}, unnoticed"
        # silence leaves a handler's shield alone, as a refusal doesn't
        for beat in _last_beats(attempt, act, felt - shielded(tale, act)):
            if tale.awake(act.instance, beat, beat + LEASE + SLACK):
                yield f"{act.name} on {act.instance}: no beat since {beat:.3f}"


def _could_know(tale: Tale, act: Act, attempt: Attempt) -> Iterator[float]:
    gone = attempt.gone.time if attempt.gone is not None else inf
    for since, until in tale.health(act.instance):
        first = max(since, gone)
        if act.began <= first and first + HEARTBEAT + SLACK < until:
            yield first


def _last_beats(attempt: Attempt, act: Act, noticed: float) -> Iterator[float]:
    """Yield the beats after which none came for a whole lease."""
    beats = [step.time for step in attempt.kept]
    for beat, following in pairwise([*beats, inf]):
        end = beat + LEASE + SLACK
        if act.began < end < min(following, noticed):
            yield beat


def shielded(tale: Tale, act: Act) -> float:
    """Return how long a handler may keep a cancellation out, by its context."""
    return SHIELD if tale.plan.job(act.job).conduct is Conduct.SHIELDS else 0.0


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


def due_slots_are_told(tale: Tale) -> Complaints:
    """Each slot that was due on a healthy instance was won or skipped there, once.

    Not judged: slots that the store's clock had reached before it was set back, and,
    by the trouble that a step is, those around it; a timer hands no slot on twice.
    """
    won = {
        (a.claim.job, a.claim.slot, a.claim.instance_id) for a in tale.leases.attempts
    }
    skipped = Counter(
        (e.what.job, e.what.slot, e.instance)
        for e in tale.events
        if isinstance(e.what, Skip)
    )
    for who in tale.plan.names:
        for since, until in tale.health(who):
            for job, slot in _due(tale, since + SLACK, until - JITTER - BACKOFF):
                answers = skipped[job, slot, who] + ((job, slot, who) in won)
                if not answers:
                    yield f"{job} {_at(tale, slot)}: nothing came of it on {who}"
    for (job, slot, who), count in skipped.items():
        # a start may catch a slot up, and a step may arm its timer, once more
        starts = len([life for life in tale.lives if life.instance == who])
        if count > starts + len(tale.store_steps) + tale.clock_steps(who):
            yield f"{job} {_at(tale, slot)}: skipped {count} times on {who}"


def _due(tale: Tale, since: float, until: float) -> Iterator[tuple[str, int]]:
    steps = [(at, by) for at, by in tale.store_steps if at <= since]
    reached = max((tale.store_time(at) - by for at, by in steps), default=0.0)
    begin, end = max(tale.store_time(since), reached), tale.store_time(until)
    for job in tale.plan.jobs:
        for number in range(int(begin // job.period) + 1, int(end // job.period) + 1):
            yield job.name, number * job.period * 1000


def _at(tale: Tale, slot: int) -> str:
    return f"slot {slot / 1000 - tale.store_epoch:g}"


def skips_have_the_right_reason(tale: Tale) -> Complaints:
    """A slot is skipped as taken, overlapping, superseded or late only if it is so."""
    for entry in tale.events:
        if isinstance(entry.what, Skip) and not _is_right(tale, entry.what, entry.time):
            skip, at = entry.what, _at(tale, entry.what.slot)
            yield f"{entry.time:.3f} {entry.instance}: {skip.job} {at} as {skip.reason}"


def _is_right(tale: Tale, skip: Skip, time: float) -> bool:
    granted = [a for a in tale.leases.attempts if a.claim.job == skip.job]
    earlier = [a.claim.slot for a in granted if a.granted.time <= time]
    match skip.reason:
        case "taken":
            return skip.slot in earlier
        case "superseded":
            return skip.slot not in earlier and skip.slot < max(earlier, default=0)
        case "overlap":
            return _overlapped(tale, skip, time)
        case "late":
            return _late(tale, skip, time)
        case _:
            return False


def _late(tale: Tale, skip: Skip, time: float) -> bool:
    # a first attempt of a healthy instance is never too late
    if tale.healthy(skip.instance_id, time - MAX_LATE, time):
        return False
    passed = tale.store_time(time) - skip.slot / 1000
    # after a step of a clock it can't know how late it is
    return passed > MAX_LATE - SLACK or tale.unsure(skip.instance_id, time)


def _overlapped(tale: Tale, skip: Skip, time: float) -> bool:
    own = any(
        act.job == skip.job and act.instance == skip.instance_id
        for act in tale.acts
        if act.began <= time <= act.ended
    )
    return own or any(
        isinstance(step.reply, Overlapping)
        for step in tale.steps
        if (step.job, step.slot) == (skip.job, skip.slot) and step.time <= time
    )


def overlaps_are_alive(tale: Tale) -> Complaints:
    """The store says "overlap" only while another run's lease is alive."""
    leases = Leases()
    for step in tale.steps:
        if isinstance(step.reply, Overlapping):
            alive = leases.alive(step.job, step.now, but=step.slot)
            if not any(other.claim.slot == step.reply.slot for other in alive):
                yield f"{step.time:.3f} {step.job}: overlap without a live run"
        leases.take(step)


def orphans_are_taken_up(tale: Tale) -> Complaints:
    """A run without a runner is taken up within two heartbeats of its lease's end.

    That is a lease and two heartbeats after its runner's last sign, or after a step of
    the store's clock. There must be an instance that was healthy for a lease before,
    since that is how often each looks for what nobody watches, and that isn't kept by a
    handler of the same job.
    """
    for attempt in tale.leases.attempts:
        end = _lease_over(tale, attempt)
        if end is None:
            continue
        gone = attempt.gone.time if attempt.gone is not None else inf
        for who in tale.plan.names:
            # its watch learns of the attempt by a sweep, a check or a refused claim
            since = end - LEASE - 2 * HEARTBEAT - CALL
            limit = end + _longest_wait(tale, who) + SLACK
            if (
                limit < gone
                and tale.healthy(who, since, limit, whatever_the_store=True)
                and not _kept_waiting(tale, attempt, end, limit)
                and _free(tale, who, attempt, since, limit)
            ):
                yield f"{attempt.name}: its lease was over at {end:.3f}, {who} healthy"


def _longest_wait(tale: Tale, who: str) -> float:
    # a clock that goes wrong by a hundredth looks as if the store's had been set, and
    # after that a live runner is given the time to beat
    grace = 0.0 if tale.plan.machine(who).rate == 1.0 else 1.25
    return (2.25 + grace) * HEARTBEAT


def _lease_over(tale: Tale, attempt: Attempt) -> float | None:
    if attempt.way is Way.FINISHED:
        return None
    if attempt.way is Way.RELEASED and attempt.left is not None:
        end = attempt.left.time
    else:
        end = attempt.kept[-1].time + LEASE
    for at, _ in tale.store_steps:
        # set back, a lease counts as given anew; set forward, a live runner is spared
        if end - LEASE <= at <= end + 4 * HEARTBEAT:
            end = max(end, at + LEASE)
    return end


def _kept_waiting(tale: Tale, attempt: Attempt, end: float, limit: float) -> bool:
    # another run of the job was alive, so a backup had to wait for that (L5)
    return tale.plan.job(attempt.claim.job).overlap is Overlap.SKIP and any(
        other.claim.job == attempt.claim.job and other.claim.slot != attempt.claim.slot
        for other in tale.leases.attempts
        if other.granted.time <= limit and end <= _over(other)
    )


def _over(attempt: Attempt) -> float:
    left = attempt.left.time if attempt.left is not None else inf
    return min(left, attempt.kept[-1].time + LEASE)


def _free(tale: Tale, who: str, attempt: Attempt, since: float, until: float) -> bool:
    # it never takes over what it still runs itself, nor beside a handler that goes on
    # though it was told to end
    return not any(
        act.ctx.slot == attempt.claim.slot or act.cancelled < inf
        for act in tale.acts
        if act.instance == who and act.job == attempt.claim.job
        if act.began <= until and since <= act.ended
    )
