"""What holds where instances differ in options, as in a rolling deploy.

Of two instances that say different things, the one that asks counts. Each invariant is
a function from the tale of a play to what broke it; whatever doesn't depend on options
is judged as everywhere. Times are the loop's, in seconds.
"""

from collections import defaultdict
from math import inf

from anarchon.model import Overlap
from anarchon.protocol import Claim
from anarchon.rules.lease import MAX_CALL
from property_tests.clusters.claims_only import winners
from property_tests.clusters.invariants import (
    SLACK,
    Complaints,
    history,
    leases,
    lives,
    slots,
    stops,
    telling,
)
from property_tests.clusters.judge import Invariant
from property_tests.clusters.leases import Attempt, Leases, Way
from property_tests.clusters.plans import HEARTBEAT
from property_tests.clusters.tale import Life, Tale

# how often an instance looks for runs that it doesn't know, at the least
LONGEST_LEASE = 30.0


def who_forbids_overlaps_wins_none(tale: Tale) -> Complaints:
    """A claim with ``overlap="skip"`` is granted beside no live lease, whoever has it.

    And no claim is granted over the live lease of its own run.
    """
    known = Leases()
    for step in tale.steps:
        current = known.current.get((step.job, step.slot))
        if isinstance(step.asked, Claim) and known.is_new(step):
            if current and current.alive(step.now):
                yield f"{step.time:.3f} {step.job} granted over {current.name}, alive"
            skip = step.asked.overlap is Overlap.SKIP
            for other in known.alive(step.job, step.now, but=step.slot) if skip else ():
                yield f"{step.time:.3f} {step.job} granted beside {other.name}, alive"
        known.take(step)


def who_asks_limits_the_attempts(tale: Tale) -> Complaints:
    """No attempt is granted to a claim whose limit is used up, hand-overs apart."""
    runs: defaultdict[tuple[str, int], list[Attempt]] = defaultdict(list)
    for attempt in tale.leases.attempts:
        before = runs[attempt.name[:2]]
        counted = len([a for a in before if a.way is not Way.RELEASED])
        if counted >= attempt.claim.max_attempts:
            yield f"{attempt.name}: granted after {counted} attempts"
        if attempt.claim.attempt != len(before) + 1:
            yield f"{attempt.name}: granted after {len(before)} attempts and hand-overs"
        before.append(attempt)
        asked = attempt.gone.asked if attempt.gone and attempt.given_up else None
        used = counted + (attempt.way is not Way.RELEASED)
        if isinstance(asked, Claim) and used < asked.max_attempts:
            yield f"{attempt.name}: given up after {used} of {asked.max_attempts}"


def orphans_are_taken_up(tale: Tale) -> Complaints:
    """Any healthy instance that has the job takes up a run without a runner.

    It does so within two heartbeats of the lease's end, by whatever lease the runner
    had, once it has looked for runs.
    """
    for attempt in tale.leases.attempts:
        end = _lease_over(attempt)
        if any(attempt.granted.time <= at <= end + 60 for at, _ in tale.store_steps):
            continue
        gone = attempt.gone.time if attempt.gone is not None else inf
        for life in tale.lives:
            if tale.plan.machine(life.instance).version.lacks == attempt.claim.job:
                continue
            for since, until in tale.health(life.instance):
                ready = max(end, since + LONGEST_LEASE + MAX_CALL)
                limit = ready + 3.25 * HEARTBEAT + SLACK
                mine = life.began <= since < life.ended
                if not mine or limit >= min(gone, until):
                    continue
                if not _kept_waiting(tale, attempt, life, ready, limit):
                    yield f"{attempt.name}: over at {end:.3f}, left by {life.instance}"


def _lease_over(attempt: Attempt) -> float:
    if attempt.way is Way.FINISHED:
        return inf
    if attempt.way is Way.RELEASED and attempt.left is not None:
        return attempt.left.time
    return attempt.kept[-1].time + attempt.claim.lease


def _kept_waiting(
    tale: Tale, attempt: Attempt, life: Life, since: float, until: float
) -> bool:
    """Tell whether an older handler is in the way, or a run that may not overlap."""
    mine = any(
        act.ctx.slot == attempt.claim.slot or act.cancelled < inf
        for act in tale.acts_in(life)
        if act.job == attempt.claim.job
        if act.began <= until and since <= act.ended
    )
    return mine or any(
        other.claim.job == attempt.claim.job and other is not attempt
        for other in tale.leases.attempts
        if other.granted.time <= until and since <= _over(other)
    )


def _over(attempt: Attempt) -> float:
    left = attempt.left.time if attempt.left is not None else inf
    return min(left, attempt.kept[-1].time + attempt.claim.lease)


INVARIANTS: tuple[Invariant, ...] = (
    lives.schedulers_live_on,
    who_forbids_overlaps_wins_none,
    who_asks_limits_the_attempts,
    orphans_are_taken_up,
    leases.only_the_current_token_acts,
    leases.attempts_run_where_they_were_won,
    leases.one_handler_of_a_run_at_a_time,
    leases.nobody_takes_over_from_itself,
    leases.the_lost_are_cancelled,
    winners.due_slots_are_told,
    slots.slots_are_granted_in_order_and_time,
    slots.slots_are_skipped_once,
    history.history_has_each_attempt,
    history.nothing_ends_that_never_began,
    telling.ends_are_told,
    telling.nothing_succeeds_that_was_lost,
    stops.stops_are_bounded,
    stops.stops_cancel_handlers,
    lives.what_goes_on_has_a_handler,
    lives.nothing_leaks,
)


def complaints(tale: Tale) -> list[str]:
    """Return what was broken, each with the name of the invariant."""
    judged = INVARIANTS if tale.death is None else INVARIANTS[:1]
    return [f"{each.__name__}: {line}" for each in judged for line in each(tale)]
