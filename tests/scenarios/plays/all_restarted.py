"""All instances are killed in the middle of a run, and started again."""

import time

from anarchon.model import Reason, Status
from tests.scenarios.common import (
    BRIEF,
    a_run,
    again,
    end_of,
    in_vain,
    never_ended,
    one_record,
    record_of,
    two_records,
)
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import (
    HAND_OVER_WITHIN,
    HEARTBEAT,
    JITTER,
    LEASE,
    NAMES,
    SOON,
)
from tests.scenarios.judging import Time, first_of, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

# its lease is alive when the instances are back
REPORT = "report"
LONG_LEASE = 3.5 * LEASE
# its next slot comes due while all are away
POLL = "poll"
RECENTLY = 2.4
# the slot before the first one isn't caught up when they begin
PERIOD = SOON + RECENTLY


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    # all that follows depends on it, so it is the same after a false start
    stage.cluster.soon = SOON
    stage.load()
    # nobody asks for its slot again, so it is found as unfinished or not at all
    stage.once(BRIEF, catch_up=0)
    stage.once(BRIEF, REPORT, lease=LONG_LEASE)
    slot = stage.every(PERIOD, BRIEF, POLL, catch_up=RECENTLY)
    stage.begin()
    for job in (JOB, REPORT, POLL):
        stage.at_work(job=job)
    due = slot / 1000 + PERIOD
    _restart_all(stage, due + JITTER)
    if time.time() > due + RECENTLY:
        raise FalseStart("they were back too late for what they should find")
    for job in (JOB, REPORT):
        stage.until_seen("success", attempt=2, job=job)
    stage.until_seen("success", job=POLL)


def _on_claims(stage: Stage) -> None:
    a_run(stage)
    _restart_all(stage)
    in_vain(stage)


def _restart_all(stage: Stage, after: float = 0.0) -> None:
    """Kill all, and let them begin again when leases of the usual length are over."""
    killed = max([stage[who].kill() for who in NAMES])
    stage.load()
    over = max(after, killed + LEASE + JITTER)
    stage.until(lambda: time.time() > over)
    stage.join(NAMES)


# --- what is judged -------------------------------------------------------------------


def _back(seen: Evidence) -> float:
    """Return when the first one was back: it says so, or it asks the store already."""
    told = [*again(seen, "ready"), *again(seen, "asked")]
    holds(told, "nobody came back")
    return min(report.at for report in told)


def _went_on(seen: Evidence) -> Time:
    _as_attempt_2(seen.about(JOB))
    waited = record_of(seen, 2).started_at.timestamp() - _back(seen)
    return within("takeover after the first is back", waited, HAND_OVER_WITHIN)


def _as_attempt_2(seen: Evidence) -> None:
    """Hold that one job's run was begun and lost, and then begun and finished."""
    [(runner, _)] = first_of(1, seen.starts, "starts")
    taken = only(again(seen, "takeover"), "takeover")
    # that may be a new process by the runner's name
    same(runner, taken.from_instance)
    taker = taken.who
    same(["takeover", "start", "success"], seen.events(taker, attempt=2))
    same([(runner, 1), (taker, 2)], seen.starts)
    same([(taker, 2)], seen.ends)
    two_records(seen, runner, taker, job=taken.job)


def _others_watch(seen: Evidence) -> None:
    sync = seen.about(JOB)
    taker = sync.one("takeover")
    checks = {
        asked.who
        for asked in again(sync, "asked")
        if asked.reason == Reason.TAKEOVER and asked.monotonic > taker.monotonic
    }
    same([*NAMES], sorted({taker.who, *checks}))


def _waited_for(seen: Evidence) -> Time:
    report = seen.about(REPORT)
    _as_attempt_2(report)
    [(runner, _)] = first_of(1, report.starts, "starts")
    skips = sorted((s.who, s.reason, s.by) for s in again(report, "skip"))
    same([(who, "taken", runner) for who in NAMES], skips)
    holds(_back(seen) < end_of(seen, 1, REPORT), "they were back too late")
    waited = end_of(seen, 1, REPORT) - seen.one("killed", runner).at
    most, least = LONG_LEASE + 2 * HEARTBEAT, LONG_LEASE - HEARTBEAT
    return within("takeover after the kill", waited, most, least)


def _replaced(seen: Evidence) -> None:
    poll = seen.about(POLL)
    old, newer = first_of(2, poll.seen("start"), "starts")
    holds(old.slot < newer.slot, f"{old.slot} was begun again")
    same((1, Reason.CATCH_UP), (newer.attempt, newer.reason))
    ended = poll.one("interrupted")
    same((newer.who, old.slot, 1), (ended.who, ended.slot, ended.attempt))
    same((False, True), (ended.handed_over, ended.final))
    same([], poll.seen("takeover"))
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, old.who),
            (1, Status.SUCCESS, Reason.CATCH_UP, newer.who),
        ],
        poll.outline(POLL)[:2],
    )


def _lost(seen: Evidence) -> None:
    runner = seen.one("start").who
    never_ended(seen, runner)
    same([], again(seen, "asked"))
    same(len(NAMES), len(again(seen, "ready")))
    one_record(seen, Status.RUNNING, runner)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=6,
    title="All instances are killed in the middle of a run",
    story=(
        "A job is due once. In the middle of the run all instances get SIGKILL, and "
        "nobody is left to be a backup. They start again when the lease has run out. "
        "On lease backends two more jobs are in progress: one with a lease of "
        f"{LONG_LEASE:g} s, which is alive when the instances are back; and one that "
        "has come due again by then."
    ),
    lease=Side(
        summary="One of them takes over when they are back",
        play=_on_leases,
        promises=(
            Promise(
                text="One instance takes over, as attempt 2, within 2 heartbeats after "
                f"the first one is back, {HAND_OVER_WITHIN:.2f} s here.",
                judge=_went_on,
            ),
            Promise(text="The others are its backups.", judge=_others_watch),
            Promise(
                text="A run whose lease is alive when they are back is skipped as "
                "`taken`, watched, and taken over when its lease ends: within lease "
                f"+ 2 heartbeats of the kill, {LONG_LEASE + 2 * HEARTBEAT:.2f} s here.",
                judge=_waited_for,
            ),
            Promise(
                text="Where a newer slot has come due, that is run instead, and the "
                "older run ends as interrupted, for good.",
                judge=_replaced,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it; it stays `running`",
        play=_on_claims,
        promises=(
            Promise(
                text="Nobody asks for the run; history has it as running, for ever.",
                judge=_lost,
            ),
        ),
    ),
    advice=(
        "What a restart needs to know is in the store, and not in the instances, so "
        "names, number and order of those that start again don't matter."
    ),
)
