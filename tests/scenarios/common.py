"""What several plays and judges have in common: a run in progress, and its passing on.

Decides nothing that only one scenario needs.
"""

from typing import Unpack

from anarchon.model import Reason, RunRecord, Status
from anarchon.options import JobOptions
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, NAMES, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.stage import Stage

# it is hurt in the middle of that, and has to be done again from the beginning
BRIEF = Handler(takes=1.0)
# what is noted of a process that ended as it should
EXITED = "exit status 0"


def others(who: str) -> list[str]:
    """Return all instances but one."""
    return [name for name in NAMES if name != who]


# --- what is played -------------------------------------------------------------------


def a_run(stage: Stage, handler: Handler = BRIEF, **options: Unpack[JobOptions]) -> str:
    """Let all begin with one job; return who runs it, when it is at work."""
    stage.load()
    stage.once(handler, **options)
    stage.begin()
    return stage.at_work().who


def one_attempt(stage: Stage) -> JobOptions:
    """Return options that allow one attempt, where there could be more."""
    return {"max_attempts": 1} if stage.leases else {}


def answers(stage: Stage, operation: str, who: str) -> list[Report]:
    """Return what the store has answered to an instance's calls of this operation."""
    told = stage.cluster.seen("answered", who)
    return [answer for answer in told if answer.operation == operation]


def after_a_heartbeat(stage: Stage, who: str) -> None:
    """Wait for the next answer to a heartbeat: no call is under way right after it."""
    so_far = len(answers(stage, "heartbeat", who))
    stage.until(lambda: len(answers(stage, "heartbeat", who)) > so_far)


def until_done(stage: Stage, attempt: int) -> None:
    """Wait until an attempt has come to success."""
    stage.until_seen("success", attempt=attempt)


def until_ended(stage: Stage, who: str) -> None:
    """Wait until the process of an instance has ended; note its exit status."""
    stage.note(f"exit status {stage[who].ended()}", who)


def in_vain(stage: Stage) -> None:
    """Give the others more time than a backup would need."""
    stage.watch(TAKEOVER_WITHIN + HEARTBEAT)


# --- what is judged -------------------------------------------------------------------


def again(seen: Evidence, what: str) -> list[Report]:
    """Return what was reported of this by instances that were restarted."""
    before = {killed.pid for killed in seen.seen("killed")}
    return [report for report in seen.seen(what) if report.pid not in before]


def ran_once(seen: Evidence, who: str) -> None:
    """Hold that one instance began the run and came to its end, and nobody else."""
    same([(who, 1)], seen.starts)
    same([(who, 1)], seen.ends)


def never_ended(seen: Evidence, who: str) -> None:
    """Hold that one instance began the run, nobody else, and nobody came to its end."""
    same([(who, 1)], seen.starts)
    same([], seen.ends)


def taken_over_from(seen: Evidence, runner: str) -> str:
    """Return who took over from the runner, in another process, and told success."""
    taken = seen.one("takeover")
    same(runner, taken.from_instance)
    began = {start.pid for start in seen.seen("start", runner, attempt=1)}
    holds(taken.pid not in began, f"{runner} took over from itself")
    same(["takeover", "start", "success"], seen.events(taken.who, attempt=2))
    return taken.who


def two_at_work(seen: Evidence) -> None:
    """Hold that attempt 1 came to its end while attempt 2 was at work."""
    found = [
        (line.phase, line.attempt)
        for line in seen.lines
        if line.phase is not Phase.STEP
    ]
    same([(Phase.START, 1), (Phase.START, 2), (Phase.END, 1), (Phase.END, 2)], found)


def one_record(seen: Evidence, status: Status, who: str) -> None:
    """Hold that history has attempt 1 with this end, and nothing else."""
    same([(1, status, Reason.SCHEDULED, who)], seen.outline())
    same([False], [record.handed_over for record in seen.history()])


def two_records(
    seen: Evidence,
    runner: str,
    taker: str,
    *,
    handed_over: bool = False,
    job: str = JOB,
) -> None:
    """Hold that history has attempt 1 as interrupted, attempt 2 as success."""
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, runner),
            (2, Status.SUCCESS, Reason.TAKEOVER, taker),
        ],
        seen.outline(job),
    )
    same([handed_over, False], [record.handed_over for record in seen.history(job)])


def record_of(seen: Evidence, attempt: int, job: str = JOB) -> RunRecord:
    """Return the only record of an attempt."""
    records = [record for record in seen.history(job) if record.attempt == attempt]
    return only(records, f"record of attempt {attempt}")


def skipped_by_others(seen: Evidence) -> None:
    """Hold that whoever didn't win attempt 1 skipped the slot once, as taken."""
    won = record_of(seen, attempt=1)
    for who in NAMES:
        skipped = [] if who == won.instance_id else ["taken"]
        same(skipped, seen.skips(who, won.slot))


def end_of(seen: Evidence, attempt: int, job: str = JOB) -> float:
    """Return when an attempt ended, by the store's clock, in seconds since 1970 UTC."""
    ended = record_of(seen, attempt, job).ended_at
    holds(ended, f"attempt {attempt} has no end")
    assert ended is not None
    return ended.timestamp()


def taken_over_in_time(seen: Evidence, gone: Report, attempt: int = 2) -> Time:
    """Hold a takeover to its bounds, by the store's clock, from when the runner went.

    Its last heartbeat was a heartbeat before that at the earliest.
    """
    after = end_of(seen, attempt - 1) - gone.at
    return within("takeover", after, TAKEOVER_WITHIN, LEASE - HEARTBEAT)
