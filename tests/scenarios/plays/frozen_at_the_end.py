"""The runner is frozen just before its handler is done, for longer than its lease."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import (
    answers,
    end_of,
    in_vain,
    one_record,
    ran_once,
    skipped_by_others,
    taken_over_from,
    taken_over_in_time,
    two_at_work,
    two_records,
    until_done,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

# its one wait is over when it wakes, and so is its work
WORK = Handler(takes=1.2, step=1.2)


# --- what is played -------------------------------------------------------------------


def _frozen(stage: Stage) -> str:
    stage.load()
    stage.once(WORK)
    stage.begin()
    runner = _begun(stage, attempt=1)
    stage[runner].freeze()
    return runner


def _begun(stage: Stage, attempt: int) -> str:
    begun = stage.until(lambda: stage.cluster.journal.first(attempt, Phase.START))
    return begun[-1].who


def _on_leases(stage: Stage) -> None:
    runner = _frozen(stage)
    _begun(stage, attempt=2)
    stage[runner].thaw()
    for attempt in (1, 2):
        _until_over(stage, attempt)
    if not answers(stage, "finish", runner):
        # a heartbeat was refused before the handler returned
        raise FalseStart(f"{runner} noticed its loss before it could finish")


def _until_over(stage: Stage, attempt: int) -> None:
    """Wait until an attempt has ended, in whatever way its runner was told."""

    def ends() -> list[Report]:
        told = [*stage.cluster.seen("success"), *stage.cluster.seen("interrupted")]
        return [end for end in told if end.attempt == attempt]

    stage.until(ends)


def _on_claims(stage: Stage) -> None:
    runner = _frozen(stage)
    in_vain(stage)
    stage[runner].thaw()
    until_done(stage, attempt=1)


# --- what is judged -------------------------------------------------------------------


def _in_time(seen: Evidence) -> Time:
    return taken_over_in_time(seen, seen.one("frozen"))


def _both_returned(seen: Evidence) -> None:
    frozen, taker = seen.one("frozen").who, seen.one("takeover").who
    same([(frozen, 1), (taker, 2)], seen.starts)
    same([(frozen, 1), (taker, 2)], seen.ends)
    two_at_work(seen)
    skipped_by_others(seen)


def _refused(seen: Evidence) -> None:
    frozen, taker = seen.one("frozen").who, seen.one("takeover").who
    same(["refused"], [call.reason for call in seen.calls("finish", on=frozen)])
    same([], seen.calls("release"))
    same(["accepted"], [call.reason for call in seen.calls("finish", on=taker)])


def _told(seen: Evidence) -> None:
    frozen = seen.one("frozen").who
    same(["start", "lost", "interrupted"], seen.events(frozen, attempt=1))
    same("refused", seen.one("lost").cause)
    interrupted = seen.one("interrupted")
    same((False, False), (interrupted.handed_over, interrupted.final))
    taken_over_from(seen, frozen)


def _stored(seen: Evidence) -> None:
    frozen = seen.one("frozen").who
    two_records(seen, frozen, seen.one("takeover").who)
    refused = only(seen.calls("finish", on=frozen), "finish of the frozen one")
    holds(end_of(seen, 1) < refused.at < end_of(seen, 2), "an end was written again")


def _goes_on(seen: Evidence) -> None:
    frozen = seen.one("frozen").who
    ran_once(seen, frozen)
    skipped_by_others(seen)
    same(["start", "success"], seen.events(frozen, attempt=1))
    same(["accepted"], [call.reason for call in seen.calls("finish")])


def _stored_at_last(seen: Evidence) -> None:
    one_record(seen, Status.SUCCESS, seen.one("frozen").who)


# --- what users are told --------------------------------------------------------------

SCENARIO = Scenario(
    number=10,
    title="The runner is frozen just before it is done",
    story=(
        "A job is due once. Its runner is frozen by SIGSTOP for longer than its "
        "lease, and woken while another instance runs attempt 2. Its handler has "
        "nothing left to do: it returns before any heartbeat could tell it that the "
        "run is lost."
    ),
    lease=Side(
        summary="Its result is refused; attempt 2 counts",
        play=_on_leases,
        promises=(
            Promise(
                text="A backup takes over within lease + 2 heartbeats of the freeze, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_in_time,
            ),
            Promise(
                text="Both attempts come to the end of their work, the first one while "
                "the second is at it.",
                judge=_both_returned,
            ),
            Promise(
                text="The store refuses the result of attempt 1, and takes that of "
                "attempt 2.",
                judge=_refused,
            ),
            Promise(
                text="The frozen instance tells `lost` and `interrupted`, never "
                "`success`.",
                judge=_told,
            ),
            Promise(
                text="History has attempt 1 as interrupted, attempt 2 as success, "
                "ended when it really ended.",
                judge=_stored,
            ),
        ),
    ),
    claims=Side(
        summary="Its result comes late, and counts",
        play=_on_claims,
        promises=(
            Promise(
                text="Nobody takes over; on waking the handler returns, and its result "
                "is taken.",
                judge=_goes_on,
            ),
            Promise(
                text="History has attempt 1 as success, and no other.",
                judge=_stored_at_last,
            ),
        ),
    ),
    advice=(
        "The store is fenced; what handlers write elsewhere is not. There `ctx.fence` "
        "lets a write of attempt 1 fail after one of attempt 2; see "
        "[Fences](handlers.md#fences)."
    ),
)
