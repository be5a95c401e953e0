"""All instances are replaced one after the other while a long run goes on."""

from anarchon.model import Reason, RunRecord, Status
from tests.processes.setup import Handler
from tests.scenarios.common import (
    EXITED,
    a_run,
    never_ended,
    one_record,
    others,
    until_done,
    until_ended,
)
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import HAND_OVER_WITHIN, NAMES
from tests.scenarios.judging import Time, first_of, holds, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage

# no runner gets that far before it is replaced
LONG = Handler(takes=2.5)


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    """Replace whoever has the run, as long as that is an old one, then the others."""
    runner, attempt = a_run(stage, LONG, max_attempts=1), 1
    old = set(NAMES)
    while old:
        who = runner if runner in old else min(old)
        old.remove(who)
        _replace(stage, who)
        if who == runner:
            attempt += 1
            runner = stage.at_work(attempt).who
    until_done(stage, attempt)


def _on_claims(stage: Stage) -> None:
    runner = a_run(stage, LONG)
    for who in runner, *others(runner):
        _replace(stage, who)


def _replace(stage: Stage, who: str) -> None:
    stage[who].stop()
    until_ended(stage, who)
    stage.back(who)


# --- what is judged -------------------------------------------------------------------


def _all_ended_well(seen: Evidence) -> None:
    for who in NAMES:
        stopped, ended = seen.one("stopped", who), seen.one(EXITED, who)
        same(2, len(seen.seen("ready", who)))
        holds(stopped.at < ended.at < seen.seen("ready", who)[1].at, f"{who}: in order")


def _moved(seen: Evidence) -> None:
    """Hold that the run went from runner to runner, each one told, none lost."""
    records = seen.history()
    runners = [(record.instance_id, record.attempt) for record in records]
    holds(len(records) > 1, "the run never moved")
    same(list(range(1, len(records) + 1)), [record.attempt for record in records])
    same(runners, seen.starts)
    same(runners[-1:], seen.ends)
    same([], seen.seen("lost"))
    told = [(end.who, end.attempt, end.handed_over) for end in seen.seen("interrupted")]
    same([(who, attempt, True) for who, attempt in runners[:-1]], told)


def _stored(seen: Evidence) -> None:
    *moved, last = seen.history()
    for record in moved:
        same((Status.INTERRUPTED, True), (record.status, record.handed_over))
    same((Status.SUCCESS, False), (last.status, last.handed_over))
    reasons = [record.reason for record in seen.history()]
    same([Reason.SCHEDULED, *[Reason.TAKEOVER] * len(moved)], reasons)


def _at_once(seen: Evidence) -> Time:
    records = seen.history()
    slowest = max(map(_gap, records, records[1:]))
    return within("slowest hand-over", slowest, HAND_OVER_WITHIN)


def _gap(before: RunRecord, after: RunRecord) -> float:
    holds(before.ended_at is not None, f"attempt {before.attempt} has no end")
    assert before.ended_at is not None
    return (after.started_at - before.ended_at).total_seconds()


def _lost(seen: Evidence) -> None:
    runner = _first_stopped(seen)
    never_ended(seen, runner)
    same(["start", "interrupted"], seen.events(runner, attempt=1))
    told = seen.one("interrupted")
    same((False, True), (told.handed_over, told.final))


def _for_ever(seen: Evidence) -> None:
    one_record(seen, Status.INTERRUPTED, _first_stopped(seen))


def _first_stopped(seen: Evidence) -> str:
    stopped, *_ = first_of(len(NAMES), seen.seen("stopped"), "stops")
    return stopped.who


# --- what users are told --------------------------------------------------------------

ALL_ENDED_WELL = Promise(
    text="Each instance exits when it is asked to stop, with status 0.",
    judge=_all_ended_well,
)

SCENARIO = Scenario(
    number=15,
    title="A rolling deploy replaces all instances in the middle of a run",
    story=(
        "A long run is in progress. Each of the three instances gets SIGTERM, exits, "
        "and is started again as a new process, one after the other; whoever has the "
        "run is always the next. On lease backends the job has `max_attempts=1`: if "
        "moving cost an attempt, the run would be over after the first stop."
    ),
    lease=Side(
        summary="It moves from instance to instance, and loses no attempt",
        play=_on_leases,
        promises=(
            Promise(
                text="The run is handed over from instance to instance and comes to "
                "its end; however often it moves, that uses up no attempt.",
                judge=_moved,
            ),
            Promise(
                text="Each hand-over takes at most 2 heartbeats, "
                f"{HAND_OVER_WITHIN:.2f} s here.",
                judge=_at_once,
            ),
            Promise(
                text="History has every attempt but the last as interrupted and "
                "handed over, the last as success.",
                judge=_stored,
            ),
            ALL_ENDED_WELL,
        ),
    ),
    claims=Side(
        summary="Nobody goes on with it; it stays `interrupted`",
        play=_on_claims,
        promises=(
            Promise(
                text="The first stop interrupts the run, and nobody goes on with it, "
                "old or new.",
                judge=_lost,
            ),
            Promise(
                text="History has it as interrupted, not handed over.",
                judge=_for_ever,
            ),
            ALL_ENDED_WELL,
        ),
    ),
    advice=(
        "Every move starts the job from its beginning. If it takes longer than the "
        "time between two stops, let it keep [checkpoints](handlers.md#long-runs). "
        "The time that a stop may take is told under [Grace "
        "periods](deploying.md#grace-periods)."
    ),
)
