"""The runner is stopped in the middle of a run."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.scenarios.common import (
    EXITED,
    a_run,
    end_of,
    in_vain,
    never_ended,
    one_attempt,
    one_record,
    record_of,
    taken_over_from,
    two_records,
    until_done,
    until_ended,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HAND_OVER_WITHIN
from tests.scenarios.judging import Time, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

# --- what is played -------------------------------------------------------------------


def _stopped(stage: Stage) -> None:
    """Stop the runner, and wait for the end of its process."""
    runner = a_run(stage, **one_attempt(stage))
    stage[runner].stop()
    until_ended(stage, runner)


def _on_leases(stage: Stage) -> None:
    _stopped(stage)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    _stopped(stage)
    in_vain(stage)


# --- what is judged -------------------------------------------------------------------


def _cancelled(seen: Evidence) -> None:
    stopped = seen.one("stopped")
    same(["start", "interrupted"], seen.events(stopped.who, attempt=1))
    last = only(seen.written(Phase.CANCELLED), "cancellation")
    same((stopped.who, 1), (last.who, last.attempt))
    within("cancelled", last.at - stopped.at, 0.0)


def _exits(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    seen.one(EXITED, stopped)
    seen.one("ended", stopped)


def _handed_over(seen: Evidence) -> Time:
    stopped = seen.one("stopped")
    told = seen.one("interrupted")
    same((True, False), (told.handed_over, told.final))
    released = only(seen.calls("release"), "release")
    same((stopped.who, "accepted"), (released.who, released.reason))
    within("handed over", end_of(seen, 1) - stopped.at, 0.0)
    waited = record_of(seen, 2).started_at.timestamp() - end_of(seen, 1)
    return within("attempt 2 after the hand-over", waited, HAND_OVER_WITHIN)


def _by_a_backup(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    taker = taken_over_from(seen, stopped)
    same([(stopped, 1), (taker, 2)], seen.starts)
    same([(taker, 2)], seen.ends)


def _stored(seen: Evidence) -> None:
    stopped, taker = seen.one("stopped").who, seen.one("takeover").who
    two_records(seen, stopped, taker, handed_over=True)


def _nobody_else(seen: Evidence) -> None:
    never_ended(seen, seen.one("stopped").who)


def _recorded(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    told = seen.one("interrupted", stopped)
    same((False, True), (told.handed_over, told.final))
    one_record(seen, Status.INTERRUPTED, stopped)


# --- what users are told --------------------------------------------------------------

STOPS = (
    Promise(
        text="The handler of the stopped instance is cancelled at once.",
        judge=_cancelled,
    ),
    Promise(text="Its process exits by itself, with status 0.", judge=_exits),
)

SCENARIO = Scenario(
    number=5,
    title="The runner is stopped in the middle of a run",
    story=(
        "A job is due once. In the middle of its work the runner gets SIGTERM, as in "
        "a deploy. On lease backends the job has `max_attempts=1`."
    ),
    lease=Side(
        summary="It is handed over; a backup has it within 2 heartbeats",
        play=_on_leases,
        promises=(
            *STOPS,
            Promise(
                text="The run is handed over, and a backup begins attempt 2 within 2 "
                f"heartbeats, {HAND_OVER_WITHIN:.2f} s here.",
                judge=_handed_over,
            ),
            Promise(
                text="The hand-over costs no attempt: the backup runs the job, from "
                "the beginning, although `max_attempts` is 1.",
                judge=_by_a_backup,
            ),
            Promise(
                text="History has attempt 1 as interrupted and handed over, attempt 2 "
                "as success.",
                judge=_stored,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it; it stays `interrupted`",
        play=_on_claims,
        promises=(
            *STOPS,
            Promise(text="Nobody goes on with the run.", judge=_nobody_else),
            Promise(
                text="The runner tells `interrupted`, with `final`; history has the "
                "run as interrupted, not handed over.",
                judge=_recorded,
            ),
        ),
    ),
    advice=(
        "A hand-over needs a handler that lets itself be "
        "[cancelled](handlers.md#cancellation). One that doesn't keeps its run until "
        "`stop_timeout`, and a backup has to wait for the lease to run out."
    ),
)
