"""Instances that are killed and started again, one while a run goes on, or all."""

import time
from collections.abc import Callable

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line
from tests.processes.report import Report
from tests.processes.scenes import (
    BRIEF,
    HEARTBEAT,
    LEASE,
    SLACK,
    Measure,
    a_run,
    at_work,
    check_takeover,
    mixed,
    outline,
    started,
    taken_at,
)
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
CATCH_UP, SCHEDULED, TAKEOVER = Reason.CATCH_UP, Reason.SCHEDULED, Reason.TAKEOVER
ALL = {"A", "B", "C"}


def test_a_run_goes_on_while_others_restart(cluster: Cluster) -> None:
    """It happens once; the restarted instances ask for its slot and find it taken."""
    run = a_run(cluster, "ABC", Handler(takes=1.2), spare="DE")
    for other in sorted(ALL - {run.who}):
        cluster[other].kill()
    cluster.begin("DE")
    cluster.until_seen("success")

    for restarted in "DE":
        [skip] = cluster.seen("skip", restarted)
        assert (run.slot, "taken", run.who) == (skip.slot, skip.reason, skip.by)
    assert [(run.who, 1)] == started(cluster)
    assert [(1, SUCCESS, SCHEDULED, run.who)] == outline(cluster)


@mixed
def test_a_restarted_instance_is_a_backup(cluster: Cluster, measure: Measure) -> None:
    """It takes the run over, though it wasn't there when that began."""
    run = a_run(cluster, "AB", Handler(takes=1.2), spare="C")
    [other] = {"A", "B"} - {run.who}
    cluster[other].kill()
    cluster.begin("C")
    killed = cluster[run.who].kill()
    takeover = cluster.until_seen("takeover", "C")
    check_takeover(cluster, takeover, killed, measure)


def test_all_restart_in_the_middle_of_a_run(cluster: Cluster, measure: Measure) -> None:
    """Whoever is back first goes on with the run as attempt 2, and the others watch."""
    # nobody asks for the latest slot, which is that of the run
    cluster.options["catch_up"] = 0
    run = a_run(cluster, spare="DEF")
    kill_all(cluster)
    time.sleep(LEASE)
    cluster.begin("DEF")
    back = min(report.at for report in cluster.seen("ready")[-3:])
    cluster.until_seen("success")

    [takeover] = cluster.seen("takeover")
    after = taken_at(cluster, takeover) - back
    measure("takeover after the first is back", after, 2 * HEARTBEAT)
    assert after <= 2 * HEARTBEAT + SLACK
    check_finished_once(cluster, run, takeover)


@mixed
def test_all_are_back_before_the_lease_has_run_out(
    cluster: Cluster, measure: Measure
) -> None:
    """They see the run as alive, watch it, and one takes over when its lease ends."""
    run = a_run(cluster, spare="DEF")
    killed = kill_all(cluster)
    cluster.begin("DEF")
    cluster.until_seen("success")

    [takeover] = cluster.seen("takeover")
    check_takeover(cluster, takeover, killed, measure)
    check_finished_once(cluster, run, takeover)


def kill_all(cluster: Cluster) -> float:
    """Kill the instances that were there first; return when the last one was."""
    return max([cluster[who].kill() for who in sorted(ALL)])


def check_finished_once(cluster: Cluster, run: Line, takeover: Report) -> None:
    """Hold that the run was lost with its runner, and went on as attempt 2 alone."""
    assert [
        (1, INTERRUPTED, SCHEDULED, run.who),
        (2, SUCCESS, TAKEOVER, takeover.who),
    ] == outline(cluster)
    assert [(run.who, 1), (takeover.who, 2)] == started(cluster)


@mixed
def test_a_newer_slot_replaces_what_all_left(cluster: Cluster) -> None:
    """If one is due when they are back, it is run, and the older run ends for good."""
    cluster.load("ABCDEF")
    cluster.every("sync", 2.0, BRIEF)
    cluster.begin("ABC")
    run = at_work(cluster)
    killed = kill_all(cluster)
    replaced = max(run.slot / 1000 + 2.0, killed + LEASE)
    cluster.until(lambda: time.time() > replaced)
    cluster.begin("DEF")
    final = cluster.until_seen("interrupted")
    start = cluster.until_seen("start", final.who)

    assert (run.slot, 1, True) == (final.slot, final.attempt, final.final)
    assert (1, "catch-up") == (start.attempt, start.reason)
    assert run.slot < start.slot
    assert [] == cluster.seen("takeover")
    assert (1, INTERRUPTED, run.who) == next(
        (record.attempt, record.status, record.instance_id)
        for record in cluster.history()
        if record.slot == run.slot
    )


def test_a_slot_that_all_missed_is_caught_up(cluster: Cluster) -> None:
    """The instances that are back after it run it once, as a catch-up."""
    slot = outage(cluster, lambda: cluster.once("sync", Handler(takes=0.3)))
    cluster.until_seen("success")

    [start] = cluster.seen("start")
    assert (slot, "catch-up") == (start.slot, start.reason)
    skips = cluster.until(
        lambda: cluster.all_skipped(slot, {"D", "E", "F"} - {start.who})
    )
    assert {("taken", start.who)} == {(skip.reason, skip.by) for skip in skips}
    assert [(1, SUCCESS, CATCH_UP, start.who)] == outline(cluster)
    assert [(start.who, 1)] == started(cluster)


@mixed
def test_of_many_missed_slots_the_latest_is_caught_up(cluster: Cluster) -> None:
    """An outage costs one run and not all that it held; what is too old is let go."""

    def add_jobs() -> int:
        cluster.once("old", Handler(), catch_up=0.2)
        return cluster.every("sync", 0.5, Handler())

    first = outage(cluster, add_jobs, slots=4)
    start = cluster.until(
        lambda: [s for s in cluster.seen("start") if s.who in {"D", "E", "F"}]
    )[0]
    cluster.until_seen("success", start.who)

    assert ("sync", "catch-up") == (start.job, start.reason)
    assert first + 4 * 500 <= start.slot
    killed = min(deed.at for deed in cluster.seen("killed")) * 1000
    slots = [record.slot for record in cluster.history("sync")]
    assert [start.slot] == [slot for slot in slots if killed < slot <= start.slot]
    assert [] == cluster.history("old")


def outage(cluster: Cluster, add_jobs: Callable[[], int], slots: int = 1) -> int:
    """Kill all before the first slot and start all after so many; return the first."""
    cluster.load("ABCDEF")
    first = add_jobs()
    cluster.begin("ABC")
    killed = kill_all(cluster)
    assert killed * 1000 < first, "the machine was too slow to have an outage in time"
    over = first / 1000 + 0.5 * slots
    cluster.until(lambda: time.time() > over)
    cluster.begin("DEF")
    return first
