"""Runners that are frozen at random moments while others work, and what they write."""

import random
import time

import pytest

from anarchon.model import Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.scenes import HEARTBEAT, LEASE, SLACK, mixed
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

PERIOD, WORK = 0.5, Handler(takes=0.45)
FREEZES = 6


@mixed
def test_an_old_fence_is_written_only_on_waking(cluster: Cluster) -> None:
    """Whoever writes under an old fence has just been thawed, and doesn't know yet.

    No fence is ever used by two, new fences only grow, and whoever was replaced is
    refused: it tells no success, and the store keeps none.
    """
    cluster.load("ABC")
    cluster.every("sync", PERIOD, WORK, catch_up=0)
    cluster.begin()
    for number in range(FREEZES):
        freeze_somebody_at_work(cluster, until_replaced=number % 2 == 0)
    for who in "ABC":
        cluster[who].stop()
    assert {0} == {cluster[who].ended() for who in "ABC"}

    lines = cluster.journal.read()
    began = [line.run for line in lines if line.phase is Phase.START]
    assert sorted(set(began)) == began
    assert len(began) == len({(line.run, line.who) for line in lines})
    assert [] == [line for line in lines if line.fence != (line.slot, line.attempt)]
    stale = stale_writes(lines)
    assert stale
    assert [] == [line for line in stale if not just_thawed(cluster, line)]
    replaced = {line.run for line in stale}
    told = {(s.job, s.slot, s.attempt) for s in cluster.seen("success")}
    kept = {
        (record.job, record.slot, record.attempt)
        for record in cluster.history()
        if record.status is Status.SUCCESS
    }
    assert set() == replaced & (told | kept)
    assert told == kept


def freeze_somebody_at_work(cluster: Cluster, *, until_replaced: bool) -> None:
    """Freeze whoever writes some step to come, for part of a lease or past its end."""
    count = len(cluster.journal.read(Phase.STEP)) + random.randint(1, 8)
    step = cluster.until(lambda: cluster.journal.read(Phase.STEP)[count:])[0]
    cluster[step.who].freeze()
    if until_replaced:
        cluster.until(lambda: cluster.journal.read()[-1].run > step.run)
    time.sleep(random.random() * LEASE / 2)
    cluster[step.who].thaw()


def stale_writes(lines: list[Line]) -> list[Line]:
    """Return what was written under a fence after a newer one had been used."""
    newest, stale = lines[0].run, []
    for line in lines:
        newest = max(newest, line.run)
        if line.run < newest:
            stale.append(line)
    return stale


def just_thawed(cluster: Cluster, line: Line) -> bool:
    """Tell whether a line was written between a thaw and the next heartbeat."""
    thaws = [report.at for report in cluster.seen("thawed", line.who)]
    return any(0 <= line.at - thaw <= HEARTBEAT + SLACK for thaw in thaws)
