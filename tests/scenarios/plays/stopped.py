"""The runner is stopped gracefully in the middle of a run."""

from anarchon.model import Reason, Status
from tests.processes.journal import Phase
from tests.scenarios.common import (
    BRIEF,
    end_of,
    in_vain,
    record_of,
    until_done,
    until_ended,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HAND_OVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

EXIT = "exit status 0"


def _stopped(stage: Stage) -> None:
    """Stop the runner, and wait for the end of its process."""
    stage.load()
    if stage.leases:
        stage.once(BRIEF, max_attempts=1)
    else:
        stage.once(BRIEF)
    stage.begin()
    run = stage.at_work()
    stage[run.who].stop()
    until_ended(stage, run.who)


def _on_leases(stage: Stage) -> None:
    _stopped(stage)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    _stopped(stage)
    in_vain(stage)


def _cancelled(seen: Evidence) -> None:
    stopped = seen.one("stopped")
    same(["start", "interrupted"], seen.events(stopped.who, attempt=1))
    last = only(seen.written(Phase.CANCELLED), "cancellation")
    same((stopped.who, 1), (last.who, last.attempt))
    within("cancelled", last.at - stopped.at, 0.0)


def _exits(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    seen.one(EXIT, stopped)
    seen.one("ended", stopped)


def _handed_over(seen: Evidence) -> Time:
    stopped, taker = seen.one("stopped"), seen.one("takeover")
    holds(stopped.who != taker.who, f"{taker.who} took over from itself")
    same(stopped.who, taker.from_instance)
    told = seen.one("interrupted")
    same((True, False), (told.handed_over, told.final))
    released = only(seen.calls("release"), "release")
    same((stopped.who, "accepted"), (released.who, released.reason))
    within("handed over", end_of(seen, 1) - stopped.at, 0.0)
    waited = record_of(seen, 2).started_at.timestamp() - end_of(seen, 1)
    return within("attempt 2 after the hand-over", waited, HAND_OVER_WITHIN)


def _by_a_backup(seen: Evidence) -> None:
    stopped, taker = seen.one("stopped").who, seen.one("takeover").who
    same([(stopped, 1), (taker, 2)], seen.starts)
    same([(taker, 2)], seen.ends)
    same(["takeover", "start", "success"], seen.events(taker, attempt=2))


def _stored(seen: Evidence) -> None:
    stopped, taker = seen.one("stopped").who, seen.one("takeover").who
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, stopped),
            (2, Status.SUCCESS, Reason.TAKEOVER, taker),
        ],
        seen.outline(),
    )
    same([True, False], [record.handed_over for record in seen.history()])


def _nobody_else(seen: Evidence) -> None:
    same([(seen.one("stopped").who, 1)], seen.starts)
    same([], seen.ends)


def _recorded(seen: Evidence) -> None:
    stopped = seen.one("stopped").who
    told = seen.one("interrupted", stopped)
    same((False, True), (told.handed_over, told.final))
    same([(1, Status.INTERRUPTED, Reason.SCHEDULED, stopped)], seen.outline())
    same([False], [record.handed_over for record in seen.history()])


STOPS = (
    Promise(
        text="The handler of the stopped instance is cancelled at once.",
        judge=_cancelled,
    ),
    Promise(text="Its process ends by itself, with exit status 0.", judge=_exits),
)

SCENARIO = Scenario(
    number=5,
    title="The runner is asked to stop, by SIGTERM",
    story=(
        "A job is due once. In the middle of its work the runner gets SIGTERM, as in a "
        "deploy, and stops its scheduler. On lease backends the job has "
        "`max_attempts=1`."
    ),
    lease=Side(
        summary="A backup has it within two heartbeats, as attempt 2",
        play=_on_leases,
        promises=(
            *STOPS,
            Promise(
                text="The run is handed over, and a backup begins attempt 2 within two "
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
                text="It is told and recorded as interrupted, for good, and not as "
                "handed over.",
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
