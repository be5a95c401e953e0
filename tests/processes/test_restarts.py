"""Instances that are killed and started again, one while a run goes on, or all."""

import time
from collections.abc import Callable

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line
from tests.processes.report import Report
from tests.processes.scenes import (
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

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
CATCH_UP, SCHEDULED, TAKEOVER = Reason.CATCH_UP, Reason.SCHEDULED, Reason.TAKEOVER
ALL = {"A", "B", "C"}


def test_a_run_goes_on_while_others_restart(cluster: Cluster) -> None:
    """It happens once; the restarted instances ask for its slot and find it taken."""
    run = a_run(cluster, takes=2.5)
    others = sorted(ALL - {run.who})
    for other in others:
        cluster[other].kill()
    cluster.start("".join(others))
    cluster.until(lambda: len(skips_of(cluster, others)) == 2)
    cluster.until_seen("success")

    skips = skips_of(cluster, others)
    assert {("taken", run.who, run.slot)} == {(s.reason, s.by, s.slot) for s in skips}
    assert [(run.who, 1)] == started(cluster)
    assert [(1, SUCCESS, SCHEDULED, run.who)] == outline(cluster)


def skips_of(cluster: Cluster, names: list[str]) -> list[Report]:
    """Return what the present processes of these instances skipped."""
    pids = {cluster[who].pid for who in names}
    return [skip for skip in cluster.seen("skip") if skip.pid in pids]


@mixed
def test_a_restarted_instance_is_a_backup(cluster: Cluster, measure: Measure) -> None:
    """It takes the run over, though it wasn't there when that began."""
    run = a_run(cluster, "AB", takes=2.5)
    [other] = {"A", "B"} - {run.who}
    cluster[other].kill()
    cluster.start(other)
    killed = cluster[run.who].kill()
    takeover = cluster.until_seen("takeover")

    assert other == takeover.who
    check_takeover(cluster, takeover, killed, measure)


def test_all_restart_in_the_middle_of_a_run(cluster: Cluster, measure: Measure) -> None:
    """Whoever is back first goes on with the run as attempt 2, and the others watch."""
    run = a_run(cluster)
    for who in sorted(ALL):
        cluster[who].kill()
    time.sleep(LEASE)
    cluster.start("ABC")
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
    cluster.load("ABCDEF")
    cluster.once("sync", takes=0.6)
    cluster.begin("ABC")
    run = at_work(cluster)
    killed = {who: cluster[who].kill() for who in sorted(ALL)}
    cluster.begin("DEF")
    cluster.until_seen("success")

    [takeover] = cluster.seen("takeover")
    check_takeover(cluster, takeover, killed[run.who], measure)
    check_finished_once(cluster, run, takeover)


def check_finished_once(cluster: Cluster, run: Line, takeover: Report) -> None:
    """The run was lost with its runner, and went on as attempt 2 and no other."""
    assert [
        (1, INTERRUPTED, SCHEDULED, run.who),
        (2, SUCCESS, TAKEOVER, takeover.who),
    ] == outline(cluster)
    assert [(run.who, 1), (takeover.who, 2)] == started(cluster)


def test_a_slot_that_all_missed_is_caught_up(cluster: Cluster) -> None:
    """The instances that are back after it run it once, as a catch-up."""
    slot = outage(cluster, lambda: cluster.once("sync", takes=0.3))
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
        cluster.once("old", catch_up=0.2)
        return cluster.every("sync", 0.5)

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
    killed = max(cluster[who].kill() for who in sorted(ALL))
    assert killed * 1000 < first, "the machine was too slow to have an outage in time"
    over = first / 1000 + 0.5 * slots
    cluster.until(lambda: time.time() > over)
    cluster.begin("DEF")
    return first
