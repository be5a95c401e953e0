"""A runner that is frozen, and thawed after or before its lease has run out."""

import time

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
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
    told_of,
)
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
SCHEDULED, TAKEOVER = Reason.SCHEDULED, Reason.TAKEOVER


def test_the_frozen_one_is_told_when_it_wakes(
    cluster: Cluster, measure: Measure
) -> None:
    """A backup finishes the run; the thawed one is refused at its next heartbeat.

    Until then its handler goes on, after that it writes nothing more.
    """
    run = a_run(cluster, handler=Handler(takes=1.0))
    frozen = cluster[run.who].freeze()
    takeover = cluster.until_seen("takeover")
    check_takeover(cluster, takeover, frozen, measure)
    second = at_work(cluster, attempt=2)
    thawed = cluster[run.who].thaw()
    lost = cluster.until_seen("lost")
    cluster.until_seen("success")

    assert (run.who, 1, "refused") == (lost.who, lost.attempt, lost.cause)
    measure("lost after the thaw", lost.at - thawed, HEARTBEAT)
    assert lost.at - thawed <= HEARTBEAT + SLACK
    assert ["start", "lost", "interrupted"] == told_of(cluster, run.who, 1)
    [interrupted] = cluster.seen("interrupted")
    assert (False, False) == (interrupted.handed_over, interrupted.final)
    assert ["takeover", "start", "success"] == told_of(cluster, takeover.who, 2)
    assert [
        (1, INTERRUPTED, SCHEDULED, run.who),
        (2, SUCCESS, TAKEOVER, takeover.who),
    ] == outline(cluster)
    assert [(run.who, 1), (takeover.who, 2)] == started(cluster)
    *steps, cancelled = written_after(cluster, second, by=run)
    assert Phase.CANCELLED is cancelled.phase
    assert [] == [step for step in steps if not thawed <= step.at <= lost.at]


def written_after(cluster: Cluster, newer: Line, by: Line) -> list[Line]:
    """Return what one attempt wrote once another had begun, oldest first."""
    lines = cluster.journal.read()
    began = next(n for n, line in enumerate(lines) if line.run == newer.run)
    return [line for line in lines[began:] if line.run == by.run]


@pytest.mark.parametrize("loops", [("trio",), ("asyncio",)], ids=["trio", "asyncio"])
def test_what_the_frozen_one_finishes_is_refused(cluster: Cluster) -> None:
    """Waking when its work is done, it may end its handler but not its run."""
    cluster.load("ABC")
    cluster.once("sync", Handler(takes=0.5, step=0.5))
    cluster.begin()
    [run] = cluster.until(lambda: cluster.journal.first(1, Phase.START))
    cluster[run.who].freeze()
    [_, second] = cluster.until(lambda: cluster.journal.first(2, Phase.START))
    cluster[run.who].thaw()
    cluster.until_seen("interrupted", run.who)
    cluster.until_seen("success")

    assert ["start", "lost", "interrupted"] == told_of(cluster, run.who, 1)
    assert [
        (1, INTERRUPTED, SCHEDULED, run.who),
        (2, SUCCESS, TAKEOVER, second.who),
    ] == outline(cluster)


@mixed
def test_the_frozen_one_is_a_backup_again(cluster: Cluster, measure: Measure) -> None:
    """Having lost the run it watches it, and takes it back when its taker is killed."""
    run = a_run(cluster, "AB", Handler(takes=1.0))
    cluster[run.who].freeze()
    second = at_work(cluster, attempt=2)
    cluster[run.who].thaw()
    cluster.until_seen("interrupted", run.who)
    killed = cluster[second.who].kill()
    takeover = cluster.until_seen("takeover", run.who)
    cluster.until_seen("success", run.who)

    check_takeover(cluster, takeover, killed, measure)
    assert [(run.who, 1), (second.who, 2), (run.who, 3)] == started(cluster)


@mixed
def test_a_short_freeze_changes_nothing(cluster: Cluster) -> None:
    """Thawed before its lease ends a runner goes on, and nobody hears of it."""
    run = a_run(cluster)
    frozen = cluster[run.who].freeze()
    time.sleep(LEASE / 3)
    thawed = cluster[run.who].thaw()
    cluster.until_seen("success")

    assert thawed - frozen < LEASE - HEARTBEAT, "the machine froze it for longer"
    assert [] == [*cluster.seen("lost"), *cluster.seen("takeover")]
    assert [(1, SUCCESS, SCHEDULED, run.who)] == outline(cluster)
    assert [(run.who, 1)] == started(cluster)


@mixed
def test_what_all_slept_through_is_late(cluster: Cluster) -> None:
    """A slot that passed while all were frozen is skipped, and not caught up."""
    cluster.load("ABC")
    slot = cluster.once("sync", Handler(), max_late=0.3)
    cluster.begin()
    frozen = max(cluster[who].freeze() for who in "ABC")
    assert frozen * 1000 < slot, "the machine was too slow to freeze them in time"
    cluster.until(lambda: time.time() > slot / 1000 + 0.3)
    for who in "ABC":
        cluster[who].thaw()
    skips = cluster.until(lambda: cluster.all_skipped(slot, {"A", "B", "C"}))

    assert {"late"} == {skip.reason for skip in skips}
    assert [] == started(cluster)
    assert [] == cluster.history()
