"""Who goes on with a run when its runner is gone, and how often that may be."""

from collections import defaultdict
from collections.abc import Iterator
from math import inf

from anarchon.events import Lost, Skip
from anarchon.model import Overlap
from property_tests.clusters.invariants import CALL, SLACK, Complaints
from property_tests.clusters.leases import Attempt, Way
from property_tests.clusters.plans import HEARTBEAT, JITTER, LEASE
from property_tests.clusters.tale import Life, Tale


def orphans_are_taken_up(tale: Tale) -> Complaints:
    """A run without a runner is taken up within two heartbeats of its lease's end.

    So within a lease and two heartbeats of its runner's last sign, by any instance that
    is healthy and has heard of it: at its start, by a sweep, or when it lost the claim.
    """
    for attempt in tale.leases.attempts:
        end = _lease_over(tale, attempt)
        if end is None:
            continue
        gone = attempt.gone.time if attempt.gone is not None else inf
        for life in tale.lives:
            for since, until in _health(tale, life):
                known = _known(tale, attempt, life, since)
                limit = _limit(tale, attempt, life, max(end, known))
                if limit < min(gone, until):
                    who = f"{life.instance} healthy since {since:.3f}"
                    yield f"{attempt.name}: its lease was over at {end:.3f}, {who}"


def _health(tale: Tale, life: Life) -> Iterator[tuple[float, float]]:
    # what the store's clock shows makes no difference to whoever watches
    spells = [s for s in tale.spells if s.who == life.instance and not s.store]
    return tale.between(life, spells)


def _lease_over(tale: Tale, attempt: Attempt) -> float | None:
    if attempt.way is Way.FINISHED:
        return None
    if attempt.way is Way.RELEASED and attempt.left is not None:
        end = attempt.left.time
    else:
        end = attempt.kept[-1].time + LEASE
    given, moved = end - LEASE, 0.0
    for at, by in tale.store_steps:
        if at < given:
            continue
        # a live runner is spared
        if at <= end + 4 * HEARTBEAT:
            end = max(end, at + LEASE)
        moved += by
        if attempt.way is not Way.RELEASED:
            looked = _looked_at(tale, attempt.claim.job, at)
            end = max(end, min(given - moved, looked) + LEASE)
    return end


def _looked_at(tale: Tale, job: str, since: float) -> float:
    """Return when somebody asks for a job: a lease counts as given by then (L9)."""
    return min(
        (
            step.time
            for step in tale.steps
            if step.job == job and step.operation == "claim" and since <= step.time
        ),
        default=inf,
    )


def _known(tale: Tale, attempt: Attempt, life: Life, since: float) -> float:
    """Return when a healthy life must have heard of an attempt, at the latest."""
    granted = attempt.granted.time
    if granted < life.asked and since == life.began:
        # what it may catch up is asked for first
        return since + JITTER + CALL
    swept = max(since, granted) + LEASE + CALL
    taken = _first_told(tale, life, since, attempt, "taken", "lost")
    kept = _first_told(tale, life, since, attempt, "overlap")
    # who was kept out asks whether the slot was started after all
    return min(swept, max(taken, granted), max(kept, granted) + 2 * HEARTBEAT)


def _first_told(
    tale: Tale, life: Life, since: float, attempt: Attempt, *whys: str
) -> float:
    """Return when a life told of what makes it watch the run."""
    return min(
        (
            entry.time
            for entry in tale.events
            if entry.instance == life.instance and since <= entry.time < life.ended
            if isinstance(entry.what, Skip | Lost)
            if (entry.what.job, entry.what.slot) == attempt.name[:2]
            if (entry.what.reason if isinstance(entry.what, Skip) else "lost") in whys
        ),
        default=inf,
    )


def _limit(tale: Tale, attempt: Attempt, life: Life, ready: float) -> float:
    """Return when a takeover must have come, if nothing of its own was in the way.

    An instance never takes over what it still runs itself, nor beside a handler that
    goes on though it was told to end.
    """
    wait = _longest_wait(tale, life.instance) + SLACK
    mine = [
        act
        for act in tale.acts_in(life)
        if act.job == attempt.claim.job
        if act.ctx.slot == attempt.claim.slot or act.cancelled < inf
    ]
    for act in sorted(mine, key=lambda act: act.ended):
        if act.began <= ready + wait and ready <= act.ended:
            ready = act.ended
    return ready + wait


def _longest_wait(tale: Tale, who: str) -> float:
    # a clock that goes wrong by a hundredth looks as if the store's had been set, and
    # after that a live runner is given the time to beat
    grace = 0.0 if tale.plan.machine(who).rate == 1.0 else 1.25
    return (2 + grace) * HEARTBEAT


def attempts_stay_within_the_limit(tale: Tale) -> Complaints:
    """Attempts without hand-overs never exceed the limit; a hand-over costs none."""
    runs: defaultdict[tuple[str, int], list[Attempt]] = defaultdict(list)
    for attempt in tale.leases.attempts:
        runs[attempt.claim.job, attempt.claim.slot].append(attempt)
    for (job, slot), attempts in runs.items():
        limit = tale.plan.job(job).max_attempts
        counted = len([a for a in attempts if a.way is not Way.RELEASED])
        if counted > limit:
            yield f"{job} {slot}: {counted} attempts of {limit}"
        if attempts[-1].given_up and counted < limit:
            yield f"{job} {slot}: given up after {counted} attempts of {limit}"
        if [*range(1, len(attempts) + 1)] != [a.claim.attempt for a in attempts]:
            yield f"{job} {slot}: attempts out of order"


def only_newer_runs_replace(tale: Tale) -> Complaints:
    """A run is replaced by a newer slot of its job, and only where none may overlap."""
    for attempt in tale.leases.attempts:
        if attempt.way is Way.REPLACED and attempt.gone is not None:
            newer = attempt.gone.slot > attempt.claim.slot
            skip = tale.plan.job(attempt.claim.job).overlap is Overlap.SKIP
            if not (newer and skip):
                yield f"{attempt.name}: replaced at {attempt.gone.time:.3f}"
