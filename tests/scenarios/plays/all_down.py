"""All instances are down when slots come due."""

import time

from anarchon.model import Reason, Status
from tests.processes.journal import Line, Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import again, others, until_done
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import JITTER, NAMES, SLACK
from tests.scenarios.judging import first_of, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

PERIOD = 1.5
STEP = round(PERIOD * 1000)
MISSED = 3
# a job whose only slot is missed, and for how long it could be caught up, in seconds
OLD = "old"
RECENTLY = 1.0


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    stage.load()
    slot = stage.every(PERIOD, Handler())
    old = stage.once(Handler(), OLD, catch_up=RECENTLY)
    _outage(stage, slot, old)
    caught = stage.until(lambda: _told_since(stage, "start"))[0]
    rest = set(others(caught.who))
    stage.until(lambda: stage.cluster.all_skipped(caught.slot, rest))
    _until_run(stage, caught.slot + STEP)


def _on_claims(stage: Stage) -> None:
    stage.load()
    slot = stage.every(PERIOD, Handler())
    old = stage.once(Handler(), OLD)
    _outage(stage, slot, old)
    stage.until(lambda: len(_told_since(stage, "success")) > 1)


def _outage(stage: Stage, slot: int, old: int) -> None:
    """Kill all when the job has run, and start them when enough slots were missed.

    ``slot`` is any slot of the job that runs again and again.
    """
    stage.begin()
    until_done(stage, attempt=1)
    down = 1000 * max([stage[who].kill() for who in NAMES])
    if down > old:
        raise FalseStart("the slot to be missed has run")
    stage.load()
    last = slot + STEP * (int((down - slot) // STEP) + MISSED)
    over = max(last / 1000 + JITTER, old / 1000 + RECENTLY + JITTER)
    stage.until(lambda: time.time() > over)
    stage.join(NAMES)


def _told_since(stage: Stage, what: str) -> list[Report]:
    """Return what was reported of this by the instances that were started late."""
    back = {stage[who].pid for who in NAMES}
    return [report for report in stage.cluster.seen(what) if report.pid in back]


def _until_run(stage: Stage, slot: int) -> None:
    def run() -> bool:
        return any(end.slot >= slot for end in stage.cluster.seen("success"))

    stage.until(run)


# --- what is judged -------------------------------------------------------------------


def _down(seen: Evidence) -> float:
    """Return when the last one was killed, in ms."""
    return 1000 * max((killed.at for killed in seen.seen("killed")), default=0.0)


def _begun(seen: Evidence) -> list[Line]:
    """Return what was begun of the slots that came due since all were killed."""
    starts = seen.written(Phase.START)
    return [line for line in starts if line.slot > _down(seen)]


def _stored(seen: Evidence, up_to: float) -> list[tuple[int, Status, Reason, str]]:
    """Return the ends, reasons and runners of the slots in an interval of outage."""
    records = zip(seen.history(), seen.outline(), strict=True)
    return [told for record, told in records if _down(seen) < record.slot <= up_to]


def _latest_only(seen: Evidence) -> None:
    sync = seen.about(JOB)
    caught = _catch_up(sync)
    before = caught.slot - _down(seen)
    holds(before > (MISSED - 1) * STEP, f"only {before:.0f} ms before it were missed")
    asked = again(sync, "asked")[0].at - caught.slot / 1000
    holds(
        asked < PERIOD + SLACK,
        f"it was due {asked:.2f} s before, so it wasn't the latest",
    )
    slots = [line.slot for line in _begun(sync)]
    same([*range(caught.slot, max(slots, default=0) + 1, STEP)], slots)


def _catch_up(sync: Evidence) -> Report:
    starts = again(sync, "start")
    caught = [start for start in starts if start.reason == Reason.CATCH_UP]
    return only(caught, "run that was caught up")


def _once(seen: Evidence) -> None:
    sync = seen.about(JOB)
    caught = _catch_up(sync)
    skips = sorted(
        (skip.who, skip.reason, skip.by)
        for skip in again(sync, "skip")
        if skip.slot == caught.slot
    )
    same([(who, "taken", caught.who) for who in others(caught.who)], skips)
    same(
        [(1, Status.SUCCESS, Reason.CATCH_UP, caught.who)],
        _stored(sync, caught.slot),
    )


def _goes_on(seen: Evidence) -> None:
    """Hold that the next slot ran at its time; it is the second one since."""
    sync = seen.about(JOB)
    _, start = first_of(2, again(sync, "start"), "starts")
    same((_catch_up(sync).slot + STEP, Reason.SCHEDULED), (start.slot, start.reason))


def _too_old(seen: Evidence) -> None:
    same(3, len(again(seen, "ready")))
    old = seen.about(OLD)
    same([], old.lines)
    same([], old.records)
    same([], [report.what for report in old.reports if report.job])


def _never(seen: Evidence) -> None:
    _too_old(seen)
    sync = seen.about(JOB)
    [run] = first_of(1, _begun(sync), "starts")
    missed = (run.slot - _down(seen)) // STEP
    holds(missed >= MISSED, f"only {missed:.0f} slots were missed")
    same([(1, Status.SUCCESS, Reason.SCHEDULED, run.who)], _stored(sync, run.slot))


def _in_time(seen: Evidence) -> None:
    starts = again(seen.about(JOB), "start")
    holds(len(starts) > 1, "nothing runs any more")
    for start in starts:
        same(Reason.SCHEDULED, start.reason)
        within("start after its slot", start.at - start.slot / 1000, JITTER)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=7,
    title="Slots come due while no instance is up",
    story=(
        f"A job is due every {PERIOD:g} s. All instances get SIGKILL, and start again "
        f"when at least {MISSED} of its slots have passed. A second job had its only "
        "slot in that time."
    ),
    lease=Side(
        summary="The latest one is run at the start, unless it is too old",
        play=_on_leases,
        promises=(
            Promise(
                text="The latest slot is run at the start, and none of the older ones "
                "that were missed.",
                judge=_latest_only,
            ),
            Promise(
                text="One instance runs it, with the reason `catch-up`; the others "
                "skip it as `taken`.",
                judge=_once,
            ),
            Promise(text="The next slot runs when it is due.", judge=_goes_on),
            Promise(
                text="A slot that is older than `catch_up` "
                f"({RECENTLY:g} s for the second job) isn't asked for.",
                judge=_too_old,
            ),
        ),
    ),
    claims=Side(
        summary="None of them is ever run",
        play=_on_claims,
        promises=(
            Promise(
                text="None of the missed slots is ever run, of neither job.",
                judge=_never,
            ),
            Promise(text="Later slots run when they are due.", judge=_in_time),
        ),
    ),
    advice=(
        "By default slots of the last five minutes are caught up; "
        "[`catch_up`](jobs.md#options) changes that for a job."
    ),
)
