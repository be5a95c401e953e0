"""What several plays and judges have in common: a run in progress, and its passing on.

Decides nothing that only one scenario needs.
"""

from anarchon.model import RunRecord
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.stage import Stage

# it is hurt in the middle of that, and has to be done again from the beginning
BRIEF = Handler(takes=1.0)


def a_run(stage: Stage, handler: Handler = BRIEF, names: str = "ABC") -> str:
    """Let instances begin with one job; return who runs it, when it is at work."""
    stage.load(names)
    stage.once(handler)
    stage.begin(names)
    return stage.at_work().who


def until_done(stage: Stage, attempt: int) -> None:
    """Wait until an attempt has come to success, and its backups have seen it."""
    stage.until_seen("success", attempt=attempt)


def until_ended(stage: Stage, who: str) -> None:
    """Wait until the process of an instance has ended; note its exit status."""
    stage.note(f"exit status {stage[who].ended()}", who)


def in_vain(stage: Stage) -> None:
    """Give the others more time than a backup would need."""
    stage.watch(TAKEOVER_WITHIN + HEARTBEAT)


def again(seen: Evidence, what: str) -> list[Report]:
    """Return what was reported of this by instances that were restarted."""
    before = {killed.pid for killed in seen.seen("killed")}
    return [report for report in seen.seen(what) if report.pid not in before]


def two_at_work(seen: Evidence) -> None:
    """Hold that attempt 1 came to its end while attempt 2 was at work."""
    found = [
        (line.phase, line.attempt)
        for line in seen.lines
        if line.phase is not Phase.STEP
    ]
    same([(Phase.START, 1), (Phase.START, 2), (Phase.END, 1), (Phase.END, 2)], found)


def record_of(seen: Evidence, attempt: int, job: str = JOB) -> RunRecord:
    """Return the only record of an attempt."""
    records = [record for record in seen.history(job) if record.attempt == attempt]
    return only(records, f"record of attempt {attempt}")


def skipped_by_others(seen: Evidence) -> None:
    """Hold that whoever didn't win attempt 1 skipped the slot once, as taken."""
    won = record_of(seen, attempt=1)
    for who in "ABC":
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
