"""The store is restarted in the middle of a run."""

import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager

from anarchon.model import Status
from tests.processes.setup import Handler
from tests.scenarios.common import (
    answers,
    one_record,
    ran_once,
    until_done,
)
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.figures import HEARTBEAT, LEASE, NAMES
from tests.scenarios.judging import Time, holds, same, within
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import FalseStart, Stage
from tests.scenarios.ticking import (
    TICK,
    add_ticks,
    at_work_among_ticks,
    ticks,
    until_all_ticked,
)

DOWN, UP = "store down", "store up"
# it goes on after a lease that nobody has pushed forward since the store went down
LONG = Handler(takes=1.5 * LEASE)


# --- what is played -------------------------------------------------------------------


def _play(stage: Stage) -> None:
    stage.load()
    add_ticks(stage)
    runner = at_work_among_ticks(stage, LONG)
    with _away(stage):
        stage.until(lambda: _missed(stage, runner))
    if stage.leases and _unheard(stage, runner) > LEASE - HEARTBEAT:
        raise FalseStart("the store was away for too long on a busy machine")
    until_done(stage, attempt=1)
    until_all_ticked(stage, NAMES)


def _unheard(stage: Stage, runner: str) -> float:
    """Return for how long the runner's lease hasn't been pushed forward."""
    beats = [call for call in answers(stage, "heartbeat", runner) if call.job == JOB]
    [*_, last] = [*stage.cluster.seen("start", runner), *beats]
    return time.time() - last.at


def _missed(stage: Stage, runner: str) -> bool:
    """Return whether a call has failed: a heartbeat of the runner, or any claim."""
    operation, who = ("heartbeat", runner) if stage.leases else ("claim", None)
    errors = stage.cluster.seen("error", who)
    return any(error.operation == operation for error in errors)


@contextmanager
def _away(stage: Stage) -> Generator[None]:
    """Let nobody reach the store within this block."""
    stage.note(DOWN)
    with _locked(stage) if stage.place.server is None else _killed(stage):
        yield
    stage.note(UP)


@contextmanager
def _killed(stage: Stage) -> Generator[None]:
    stage.server.kill()
    try:
        yield
    finally:
        # whatever became of this play, the next ones need it
        stage.server.start()


@contextmanager
def _locked(stage: Stage) -> Generator[None]:
    path = stage.cluster.store.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


# --- what is judged -------------------------------------------------------------------


def _finished(seen: Evidence) -> None:
    run = seen.about(JOB)
    runner = run.one("start").who
    ran_once(run, runner)
    same(["start", "success"], run.events(runner, 1))
    same([], [*run.seen("lost"), *run.seen("takeover")])
    one_record(seen, Status.SUCCESS, runner)


def _lease_kept(seen: Evidence) -> Time:
    """Hold that heartbeats were unanswered for less than a lease."""
    run = seen.about(JOB)
    beats = run.calls("heartbeat", "accepted", on=run.one("start").who)
    down, up = run.one(DOWN).at, run.one(UP).at
    last = max([b.at for b in beats if b.at < down], default=run.one("start").at)
    first = min([b.at for b in beats if b.at > up], default=0.0)
    holds(first, "no heartbeat was answered afterwards")
    return within("without a heartbeat", first - last, LEASE)


def _told(seen: Evidence) -> None:
    down, up = seen.one(DOWN).at, seen.one(UP).at
    errors = [error for error in seen.seen("error") if down <= error.at <= up]
    holds(errors, "no instance told of an error")


def _goes_on(seen: Evidence) -> None:
    slots = set(ticks(seen, seen.one(UP).at))
    told = [*seen.about(TICK).seen("success"), *seen.about(TICK).seen("skip")]
    same([*NAMES], sorted({report.who for report in told if report.slot in slots}))


# --- what users are told --------------------------------------------------------------

FINISHED = Promise(
    text="The run is finished by its runner, as attempt 1, and by nobody else.",
    judge=_finished,
)
TOLD = Promise(text="`error` events tell that the store is away.", judge=_told)
GOES_ON = Promise(
    text="Every slot that is due once the store is back runs, and runs once.",
    judge=_goes_on,
)

SCENARIO = Scenario(
    number=13,
    title="The store is restarted in the middle of a run",
    story=(
        "In the middle of a run the store's server gets SIGKILL, and is started again "
        "on its data once an instance has noticed, before a lease has run out. SQLite "
        "has no server: there another program keeps the file locked for as long. A "
        "second job is due every second."
    ),
    lease=Side(
        summary="The run goes on; later slots run",
        play=_play,
        promises=(
            FINISHED,
            Promise(
                text="Its heartbeats are answered again before the lease has run out, "
                f"{LEASE:.2f} s here.",
                judge=_lease_kept,
            ),
            TOLD,
            GOES_ON,
        ),
    ),
    claims=Side(
        summary="The run goes on; later slots run",
        play=_play,
        promises=(FINISHED, TOLD, GOES_ON),
    ),
    advice=(
        "A lease that is longer than your store takes to restart keeps runs with "
        "their runners; see [Which lease](deploying.md#which-lease). The store must "
        "keep its data on disk: for Redis, [set `appendonly "
        "yes`](backends.md#redis-and-valkey)."
    ),
)
