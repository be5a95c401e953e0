"""Instances of two versions share a store, and only one version has the job."""

from anarchon.model import Reason, Status
from tests.processes.journal import Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios.common import (
    again,
    in_vain,
    never_ended,
    one_record,
    taken_over_in_time,
    until_done,
)
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HAND_OVER_WITHIN, SLACK, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage
from tests.scenarios.ticking import (
    TICK,
    add_ticks,
    at_work_among_ticks,
    ticks,
    until_ticked,
)

OLD, NEW = "C", {"A", "B"}
# its second runner is killed between two ticks, and it isn't done by then
LONG = Handler(takes=1.8)


# --- what is played -------------------------------------------------------------------


def _killed(stage: Stage) -> str:
    stage.load()
    add_ticks(stage)
    stage.cluster.changes[OLD] = {"works": tuple(stage.cluster.works)}
    runner = at_work_among_ticks(stage, LONG)
    stage[runner].kill()
    return runner


def _on_leases(stage: Stage) -> None:
    first = _killed(stage)
    stage.cluster.load(first)
    second = stage.at_work(attempt=2).who
    until_ticked(stage)
    stage[second].kill()
    if any(end.job == JOB for end in stage.cluster.seen("success")):
        raise FalseStart(f"{second} was done before it was killed")
    in_vain(stage)
    stage.note("starts again", first)
    stage.cluster.begin(first)
    until_done(stage, attempt=3)


def _on_claims(stage: Stage) -> None:
    _killed(stage)
    in_vain(stage)


# --- what is judged -------------------------------------------------------------------


def _kills(seen: Evidence) -> list[Report]:
    return seen.seen("killed")


def _never_the_old(seen: Evidence) -> None:
    run = seen.about(JOB)
    told = [report for report in run.reports if report.who == OLD and report.job]
    same([], [report.what for report in told])
    same([], [line.phase for line in run.lines if line.who == OLD])


def _by_the_other_new_one(seen: Evidence) -> Time:
    run = seen.about(JOB)
    first, second = (kill.who for kill in _kills(seen))
    same(NEW, {first, second})
    same(["takeover", "start"], run.events(second, attempt=2))
    same(first, run.one("takeover", attempt=2).from_instance)
    return taken_over_in_time(seen, _kills(seen)[0])


def _waits_for_its_version(seen: Evidence) -> Time:
    run = seen.about(JOB)
    first, second = (kill.who for kill in _kills(seen))
    same([(first, 1), (second, 2), (first, 3)], run.starts)
    same([(first, 3)], run.ends)
    restart = run.one("starts again")
    waited = restart.monotonic - _kills(seen)[1].monotonic
    holds(waited > TAKEOVER_WITHIN, f"nobody had the run for {waited:.2f} s only")
    began = run.written(Phase.START)[-1].monotonic
    holds(began > restart.monotonic, "it went on before its version was back")
    ready = [told for told in again(run, "ready") if told.who == first]
    back = only(ready, "restart").monotonic
    return within("attempt 3 after the restart", began - back, HAND_OVER_WITHIN)


def _stored(seen: Evidence) -> None:
    first, second = (kill.who for kill in _kills(seen))
    same(
        [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, first),
            (2, Status.INTERRUPTED, Reason.TAKEOVER, second),
            (3, Status.SUCCESS, Reason.TAKEOVER, first),
        ],
        seen.outline(),
    )


def _undisturbed(seen: Evidence) -> None:
    """Hold that each tick ran, and all of them on the old one while it was alone."""
    gone = _kills(seen)[-1].at
    ticks(seen)
    ticks(seen, gone)
    for restart in seen.seen("starts again"):
        alone = [
            line.who
            for line in seen.about(TICK).written(Phase.START)
            # what came due right before may still be won by whoever is back
            if gone < line.slot / 1000 < restart.at - SLACK
        ]
        holds(len(alone) > 1, f"{len(alone)} ticks while it was alone")
        same({OLD}, set(alone))


def _lost(seen: Evidence) -> None:
    killed = seen.one("killed").who
    never_ended(seen.about(JOB), killed)
    one_record(seen, Status.RUNNING, killed)


# --- what users are told --------------------------------------------------------------

NEVER_THE_OLD = Promise(
    text="The instance that doesn't have the job never claims it, never runs it, and "
    "tells nothing of it.",
    judge=_never_the_old,
)
UNDISTURBED = Promise(
    text="The job that both versions have runs in each of its slots, whoever is left.",
    judge=_undisturbed,
)

SCENARIO = Scenario(
    number=16,
    title="Two versions run at a time, and only the new one has the job",
    story=(
        "A and B are of a new version of the service, which has a new job. C is of "
        "the old one, and doesn't have it. All three have a second job, due every "
        "second. The runner of the new job gets SIGKILL. On lease backends its backup "
        "gets it as well, so that nobody is left who has the job, until one of the "
        "two starts again."
    ),
    lease=Side(
        summary="Only the new version runs it, or takes it over",
        play=_on_leases,
        promises=(
            NEVER_THE_OLD,
            Promise(
                text="The other instance of the new version takes over within lease + "
                f"2 heartbeats of the kill, {TAKEOVER_WITHIN:.2f} s here, and not "
                "before the lease ran out.",
                judge=_by_the_other_new_one,
            ),
            Promise(
                text="With both gone the run waits, unfinished, and goes on within 2 "
                f"heartbeats after one of them is back, {HAND_OVER_WITHIN:.2f} s "
                "here.",
                judge=_waits_for_its_version,
            ),
            Promise(
                text="History has attempts 1 and 2 as interrupted, attempt 3 as "
                "success.",
                judge=_stored,
            ),
            UNDISTURBED,
        ),
    ),
    claims=Side(
        summary="Only the new version runs it; nobody takes it over",
        play=_on_claims,
        promises=(
            NEVER_THE_OLD,
            Promise(
                text="Nobody goes on with the killed run; history has it as running, "
                "for ever.",
                judge=_lost,
            ),
            UNDISTURBED,
        ),
    ),
    advice=(
        "What changes while old and new instances share a store is told under [Two "
        "versions at a time](deploying.md#two-versions-at-a-time)."
    ),
)
