"""Many slots of several jobs among many processes: each is run, and by one alone."""

import random
import time

import pytest

from anarchon.model import RunRecord, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.scenes import mixed
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

EIGHT, FIVE = "ABCDEFGH", "ABCDE"
PERIODS = {"a": 200, "b": 300, "c": 400, "d": 500}
WATCHED = 3.0
KILLS = 5


@mixed
def test_eight_that_begin_at_once_share_every_slot(cluster: Cluster) -> None:
    """On a file that is not there yet, each slot of each job is run exactly once."""
    cluster.load(EIGHT)
    first = busy_jobs(cluster, Handler())
    cluster.begin()
    over = time.time() + WATCHED
    cluster.until(lambda: time.time() > over)
    stopped = stop_all(cluster, EIGHT)

    assert [] == cluster.seen("error")
    for job, period in PERIODS.items():
        due = range(first[job], stopped - period, period)
        ends = [line.slot for line in lines_of(cluster, job, Phase.END)]
        assert list(due) == [slot for slot in ends if slot in due]
        history = [record for record in cluster.history(job) if record.slot in due]
        assert list(due) == [record.slot for record in history]
        assert {(1, Status.SUCCESS)} == {(r.attempt, r.status) for r in history}
        winner = {record.slot: record.instance_id for record in history}
        skips = [s for s in cluster.seen("skip") if s.job == job and s.slot in due]
        assert {"taken"} == {skip.reason for skip in skips}
        assert [] == [skip for skip in skips if winner[skip.slot] != skip.by]


@mixed
def test_no_slot_is_run_twice_though_runners_are_killed(cluster: Cluster) -> None:
    """Whoever is killed and started again, every run has one end and one story."""
    cluster.load(FIVE)
    first = busy_jobs(cluster, Handler(takes=0.1))
    cluster.begin()
    killed = [kill_somebody_at_work(cluster) for _ in range(KILLS)][-1]
    cluster.until(lambda: not left_running(cluster, killed))
    stopped = stop_all(cluster, FIVE)

    for job, period in PERIODS.items():
        history = cluster.history(job)
        check_story(history)
        check_journal(cluster, job, history)
        skips = [s for s in cluster.seen("skip") if s.job == job]
        explained = {skip.slot for skip in skips if skip.reason == "overlap"}
        explained |= {record.slot for record in history}
        due = range(first[job], stopped - period, period)
        assert [] == [slot for slot in due if slot not in explained]


def busy_jobs(cluster: Cluster, handler: Handler) -> dict[str, int]:
    """Add the jobs, without jitter, and return their first slots."""
    cluster.options["jitter"] = 0
    return {
        job: cluster.every(job, period / 1000, handler, catch_up=0)
        for job, period in PERIODS.items()
    }


def stop_all(cluster: Cluster, names: str) -> int:
    """Stop all gracefully; return when the first was asked to, in ms since 1970."""
    stopped = min([cluster[who].stop() for who in names])
    assert {0} == {cluster[who].ended() for who in names}
    return round(stopped * 1000)


def kill_somebody_at_work(cluster: Cluster) -> float:
    """Kill whoever writes some line of the journal to come, and start it again."""
    count = len(cluster.journal.read()) + random.randint(1, 40)
    line = cluster.until(lambda: cluster.journal.read()[count:])[0]
    killed = cluster[line.who].kill()
    cluster.start(line.who)
    return killed


def left_running(cluster: Cluster, killed: float) -> list[RunRecord]:
    """Return the attempts that had begun when the last one was killed and go on."""
    return [
        record
        for job in PERIODS
        for record in cluster.history(job)
        if record.status is Status.RUNNING and record.started_at.timestamp() <= killed
    ]


def check_story(history: list[RunRecord]) -> None:
    """The attempts of a run follow each other, and only its last can have success."""
    for slot in {record.slot for record in history}:
        attempts = [record for record in history if record.slot == slot]
        assert list(range(1, len(attempts) + 1)) == [r.attempt for r in attempts]
        statuses = [record.status for record in attempts]
        assert {Status.INTERRUPTED} >= set(statuses[:-1])
        assert statuses[-1] in {Status.SUCCESS, Status.INTERRUPTED}


def check_journal(cluster: Cluster, job: str, history: list[RunRecord]) -> None:
    """Whoever ran an attempt is who the store says, and a success really came to it."""
    who = {(record.slot, record.attempt): record.instance_id for record in history}
    for line in lines_of(cluster, job, Phase.START):
        assert who[line.slot, line.attempt] == line.who
    ended = {(line.slot, line.attempt) for line in lines_of(cluster, job, Phase.END)}
    success = {(r.slot, r.attempt) for r in history if r.status is Status.SUCCESS}
    assert success <= ended


def lines_of(cluster: Cluster, job: str, phase: Phase) -> list[Line]:
    """Return what the handlers of a job wrote in one phase, oldest first."""
    return [line for line in cluster.journal.read(phase) if line.job == job]
