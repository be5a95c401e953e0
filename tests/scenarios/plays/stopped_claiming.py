"""An instance is stopped while its claim is under way."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.scenarios.common import (
    BRIEF,
    EXITED,
    answers,
    end_of,
    in_vain,
    one_attempt,
    one_record,
    record_of,
    skipped_by_others,
    taken_over_from,
    two_records,
    until_done,
    until_ended,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HAND_OVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage

# how late A hears what the store has answered
LATE = 0.25


# --- what is played -------------------------------------------------------------------


def _stopped(stage: Stage) -> None:
    """Let A ask alone, stop it before it hears the answer, and let others come."""
    stage.cluster.changes["A"] = {"slow": LATE}
    stage.load()
    stage.once(BRIEF, **one_attempt(stage))
    stage.begin("A")
    stage.until(lambda: stage.cluster.seen("asked", "A"))
    stopped = stage["A"].stop()
    if any(answer.at < stopped for answer in answers(stage, "claim", "A")):
        raise FalseStart("A had its answer before it was stopped")
    stage.join("BC")
    until_ended(stage, "A")


def _on_leases(stage: Stage) -> None:
    _stopped(stage)
    until_done(stage, attempt=2)


def _on_claims(stage: Stage) -> None:
    _stopped(stage)
    in_vain(stage)


# --- what is judged -------------------------------------------------------------------


def _not_begun(seen: Evidence) -> None:
    """Hold that A heard that it won after it was stopped, and began nothing."""
    asked, stopped = seen.one("asked", "A"), seen.one("stopped")
    answered = only(seen.calls("claim", on="A"), "answer to A")
    holds(asked.at < stopped.at < answered.at, "A wasn't stopped during its claim")
    same("won", answered.reason)
    same([], [line for line in seen.lines if line.who == "A"])
    same(["interrupted"], seen.events("A", attempt=1))


def _exits(seen: Evidence) -> None:
    # its exit is noted once the others are there
    seen.one(EXITED, "A")
    within("end", seen.one("ended", "A").at - seen.one("stopped").at, LATE)


def _handed_over(seen: Evidence) -> None:
    answered = only(seen.calls("claim", on="A"), "answer to A")
    released = only(seen.calls("release"), "release")
    same(("A", "accepted"), (released.who, released.reason))
    told = seen.one("interrupted")
    same((True, False), (told.handed_over, told.final))
    within("released", released.at - answered.at, 0.0)


def _by_another(seen: Evidence) -> Time:
    taker = taken_over_from(seen, "A")
    same([(taker, 2)], seen.starts)
    same([(taker, 2)], seen.ends)
    waited = record_of(seen, attempt=2).started_at.timestamp() - end_of(seen, attempt=1)
    return within("attempt 2 after the hand-over", waited, HAND_OVER_WITHIN)


def _stored(seen: Evidence) -> None:
    two_records(seen, "A", seen.one("takeover").who, handed_over=True)


def _never(seen: Evidence) -> None:
    same([], seen.written(Phase.START))
    same([], seen.seen("start"))
    same(["A"], [call.who for call in seen.calls("claim")])


def _recorded(seen: Evidence) -> None:
    told = seen.one("interrupted")
    same(("A", False, True), (told.who, told.handed_over, told.final))
    one_record(seen, Status.INTERRUPTED, "A")


# --- what users are told --------------------------------------------------------------

STOPS = (
    Promise(
        text="A hears that it won, and doesn't start the handler.", judge=_not_begun
    ),
    Promise(text="A exits at once, with status 0.", judge=_exits),
)

SCENARIO = Scenario(
    number=12,
    title="An instance is stopped while it claims",
    story=(
        "A is alone when a job comes due, and claims it. It gets SIGTERM before it "
        "hears that it won, and two other instances start, as in a deploy. On lease "
        "backends the job has `max_attempts=1`."
    ),
    lease=Side(
        summary="It is handed over before it begins; a backup runs it",
        play=_on_leases,
        promises=(
            *STOPS,
            Promise(
                text="A hands the run over as soon as it hears of it.",
                judge=_handed_over,
            ),
            Promise(
                text=f"A backup runs it within 2 heartbeats, {HAND_OVER_WITHIN:.2f} s "
                "here, although `max_attempts` is 1.",
                judge=_by_another,
            ),
            Promise(
                text="To the others the slot is taken all the same: they skip it as "
                "`taken`, and are backups.",
                judge=skipped_by_others,
            ),
            Promise(
                text="History has attempt 1 as interrupted and handed over, attempt 2 "
                "as success.",
                judge=_stored,
            ),
        ),
    ),
    claims=Side(
        summary="Nobody runs it; it stays `interrupted`",
        play=_on_claims,
        promises=(
            *STOPS,
            Promise(
                text="Nobody runs the job: there is no catch-up, either.", judge=_never
            ),
            Promise(
                text="A tells `interrupted`, with `final`; history has the run as "
                "interrupted, not handed over.",
                judge=_recorded,
            ),
        ),
    ),
    advice=(
        "A claim that is under way at a stop is waited for, and its run handed over. "
        "So a deploy right at a slot loses no run on a lease backend."
    ),
)
