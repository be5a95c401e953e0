"""The network is cut between the runner and the store, and for nobody else."""

from anarchon.model import Status
from tests.processes.journal import Phase
from tests.processes.setup import Handler
from tests.scenarios.common import (
    answers,
    one_record,
    others,
    ran_once,
    record_of,
    taken_over_from,
    taken_over_in_time,
    two_records,
    until_done,
)
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, NAMES, STILL, TAKEOVER_WITHIN
from tests.scenarios.judging import Time, holds, only, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Stage
from tests.scenarios.ticking import add_ticks, at_work_among_ticks, until_ticked
from tests.servers.proxy import Proxy

CUT, HEALED, ALONE = "cut off", "connected again", "left alone"
# it isn't done when the lease ends
LONG = Handler(takes=1.25 * LEASE)
# how late a busy machine may do, or may tell, what has to be done now, in seconds
GRACE = STILL


# --- what is played -------------------------------------------------------------------


def _on_leases(stage: Stage) -> None:
    """Heal the network in the middle of attempt 2, when a late write could do harm."""
    runner, wire = _cut_off(stage)
    stage.at_work(attempt=2)
    _heal(stage, runner, wire)
    stage.until(lambda: _released(stage, runner))
    until_done(stage, attempt=2)
    _leave_alone(stage, runner)


def _on_claims(stage: Stage) -> None:
    """Heal the network when the handler has come to its end."""
    runner, wire = _cut_off(stage)
    stage.until(lambda: _at_its_end(stage))
    _heal(stage, runner, wire)
    until_done(stage, attempt=1)
    _leave_alone(stage, runner)


def _cut_off(stage: Stage) -> tuple[str, Proxy]:
    wires = {who: stage.wire(who) for who in NAMES}
    stage.load()
    add_ticks(stage)
    runner = at_work_among_ticks(stage, LONG)
    wires[runner].blackhole()
    stage.note(CUT, runner)
    return runner, wires[runner]


def _heal(stage: Stage, runner: str, wire: Proxy) -> None:
    stage.note(HEALED, runner)
    wire.heal()


def _released(stage: Stage, who: str) -> bool:
    return any(answer.job == JOB for answer in answers(stage, "release", who))


def _at_its_end(stage: Stage) -> bool:
    return any(line.job == JOB for line in stage.cluster.journal.read(Phase.END))


def _leave_alone(stage: Stage, runner: str) -> None:
    """Stop the others, and wait until it has run a slot by itself."""
    for who in others(runner):
        stage[who].stop()
        stage[who].ended()
    stage.note(ALONE, runner)
    until_ticked(stage, runner)


# --- what is judged -------------------------------------------------------------------


def _lost(seen: Evidence) -> Time:
    cut, lost = seen.one(CUT), seen.one("lost")
    same((cut.who, JOB, 1, "silence"), (lost.who, lost.job, lost.attempt, lost.cause))
    same(["start", "lost", "interrupted"], seen.about(JOB).events(cut.who, 1))
    end = seen.about(JOB).one("interrupted")
    same((False, False), (end.handed_over, end.final))
    return within("lost", lost.at - cut.at, LEASE, LEASE - HEARTBEAT)


def _taken_over(seen: Evidence) -> Time:
    run = seen.about(JOB)
    cut = run.one(CUT)
    taker = taken_over_from(run, cut.who)
    same([(cut.who, 1), (taker, 2)], run.starts)
    same([(taker, 2)], run.ends)
    _not_before_its_end(run)
    return taken_over_in_time(run, cut)


def _not_before_its_end(run: Evidence) -> None:
    cut, taken = run.one(CUT), record_of(run, 2).started_at.timestamp()
    beats = run.calls("heartbeat", "accepted", on=cut.who)
    end = [*run.seen("start", cut.who), *beats][-1].at + LEASE
    holds(taken > end - GRACE, f"taken {end - taken:.3f} s before the lease's end")


def _never_both(seen: Evidence) -> None:
    run = seen.about(JOB)
    cancelled = only(run.written(Phase.CANCELLED), "handler that was cancelled")
    same((run.one(CUT).who, 1), (cancelled.who, cancelled.attempt))
    both = cancelled.monotonic - run.written(Phase.START)[1].monotonic
    holds(both <= GRACE, f"both handlers were at work for {both:.3f} s")


def _harmless(seen: Evidence) -> None:
    run = seen.about(JOB)
    cut, taker = run.one(CUT).who, run.one("takeover").who
    release = run.calls("release", on=cut)
    same(["refused"], [answer.reason for answer in release])
    same([], run.calls("finish", on=cut))
    same(["accepted"], [answer.reason for answer in run.calls("finish", on=taker)])
    finished = run.calls("finish", on=taker)[0].monotonic
    holds(release[0].monotonic < finished, "the late release came after the end")
    two_records(seen, cut, taker)


def _takes_part(seen: Evidence) -> None:
    alone = seen.one(ALONE)
    slots = [r.slot / 1000 for r in seen.seen("success", alone.who) if r.job != JOB]
    holds(max(slots, default=0.0) >= alone.at, "it ran no slot when left alone")


def _runs_on(seen: Evidence) -> None:
    run = seen.about(JOB)
    cut, healed = run.one(CUT), run.one(HEALED)
    ran_once(run, cut.who)
    end = only(run.written(Phase.END), "end")
    holds(cut.monotonic < end.monotonic < healed.monotonic, "it ended at another time")
    same(["start", "success"], run.events(cut.who, 1))


def _stored_late(seen: Evidence) -> None:
    run = seen.about(JOB)
    cut, healed = run.one(CUT), run.one(HEALED)
    finish = only(run.calls("finish"), "finish that was answered")
    same((cut.who, "accepted"), (finish.who, finish.reason))
    holds(finish.at > healed.at, "the store was reached while it was cut off")
    one_record(seen, Status.SUCCESS, cut.who)


# --- what users are told --------------------------------------------------------------

TAKES_PART = Promise(
    text="When the network is back it takes part as before: with the others stopped, "
    "it runs the next slot.",
    judge=_takes_part,
)

SCENARIO = Scenario(
    number=14,
    title="The network is cut between the runner and the store",
    story=(
        "In the middle of a run nothing passes any more between its runner and the "
        "store: no packet, no error. The others still reach the store. Later the "
        "network is back; a job that is due every second shows who takes part."
    ),
    lease=Side(
        summary="The runner gives up when its lease ends; a backup takes over",
        play=_on_leases,
        promises=(
            Promise(
                text="After a lease without an answer the runner tells `lost`, with "
                "`silence` as its cause, and its handler is cancelled.",
                judge=_lost,
            ),
            Promise(
                text="A backup takes over within lease + 2 heartbeats of the cut, "
                f"{TAKEOVER_WITHIN:.2f} s here, and not before the lease ran out.",
                judge=_taken_over,
            ),
            Promise(
                text="There is no time with two handlers at work: a runner counts its "
                "lease from before it asked for it, so it ends there first.",
                judge=_never_both,
            ),
            Promise(
                text="What the runner still sends when the network is back is "
                "refused. History has attempt 1 as interrupted, attempt 2 as success.",
                judge=_harmless,
            ),
            TAKES_PART,
        ),
        not_on={"sqlite": "it has no network"},
    ),
    claims=Side(
        summary="The runner goes on; its end is stored when the network is back",
        play=_on_claims,
        promises=(
            Promise(
                text="The runner comes to the end of its run, and nobody else begins "
                "it.",
                judge=_runs_on,
            ),
            Promise(
                text="History has it as running until the network is back, then as "
                "success.",
                judge=_stored_late,
            ),
            TAKES_PART,
        ),
    ),
    advice=(
        "That the first handler has ended when the second begins holds as long as it "
        "stops [when it is cancelled](handlers.md#cancellation), and nothing blocks "
        "its process. Where it must hold whatever happens, use "
        "[fences](handlers.md#fences)."
    ),
)
