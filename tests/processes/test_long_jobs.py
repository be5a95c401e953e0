"""A job that runs longer than its period, with real processes."""

from functools import partial

import pytest

from anarchon.model import Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Phase
from tests.processes.scenes import mixed
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

PERIOD, WORK = 1.0, Handler(takes=2.3)
ALL = {"A", "B", "C"}


def test_one_runs_at_a_time(cluster: Cluster) -> None:
    """What is due during a run is skipped by everybody, not queued; then one wins."""
    cluster.load("ABC")
    first = cluster.every("sync", PERIOD, WORK, catch_up=0)
    cluster.begin()
    one, two = cluster.until(lambda: cluster.journal.first(2, Phase.START))

    assert [first, first + 3_000] == [one.slot, two.slot]
    for slot in (first + 1_000, first + 2_000):
        skips = cluster.until(partial(cluster.all_skipped, slot, ALL))
        assert {("overlap", one.who)} == {(skip.reason, skip.by) for skip in skips}
    [ended] = cluster.journal.read(Phase.END)
    assert one.run == ended.run
    assert ended.at <= two.at
    assert [(first, Status.SUCCESS), (first + 3_000, Status.RUNNING)] == [
        (record.slot, record.status) for record in cluster.history()
    ]


@mixed
def test_copies_run_at_once_where_that_is_allowed(cluster: Cluster) -> None:
    """With ``overlap="allow"`` each slot runs, whatever else is running."""
    cluster.load("ABC")
    first = cluster.every("sync", PERIOD, WORK, catch_up=0, overlap="allow")
    cluster.begin()
    cluster.until(lambda: bool(cluster.journal.read(Phase.END)))

    lines = cluster.journal.read()
    ended = next(line for line in lines if line.phase is Phase.END)
    began = [line.slot for line in lines if line.phase is Phase.START]
    assert first == ended.slot
    assert [first, first + 1_000, first + 2_000] == began[:3]
    assert {None} == {line.fence for line in lines}
    assert set() == {skip.reason for skip in cluster.seen("skip")} - {"taken"}
