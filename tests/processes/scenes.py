"""What the tests with processes have in common: figures, bounds, a run in progress."""

import random
from collections.abc import Callable

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.report import Report
from tests.processes.setup import Handler

LEASE = 1.5
HEARTBEAT = 0.25
JITTER = 0.05
# the bounds that are promised
TAKEOVER_WITHIN = LEASE + 2 * HEARTBEAT
HAND_OVER_WITHIN = 2 * HEARTBEAT
# how late a busy machine may wake a process that was due
SLACK = 0.5

BRIEF = Handler(takes=0.6)

Measure = Callable[[str, float, float], None]

# for what doesn't depend on the loop
mixed = pytest.mark.parametrize("loops", [("trio", "asyncio")], ids=["mixed"])


def a_run(
    cluster: Cluster, names: str = "ABC", handler: Handler = BRIEF, *, spare: str = ""
) -> Line:
    """Start instances with one job; return a line of its handler when it is at work.

    The processes of ``spare`` instances are loaded, and may begin later.
    """
    cluster.load(names + spare)
    cluster.once("sync", handler)
    cluster.begin(names)
    return at_work(cluster)


def at_work(cluster: Cluster, attempt: int = 1) -> Line:
    """Wait until an attempt is somewhere in its work; return what it wrote last."""
    count = random.randint(1, 8)

    def found() -> list[Line]:
        steps = cluster.journal.read(Phase.STEP)
        mine = [step for step in steps if step.attempt == attempt]
        return mine if len(mine) >= count else []

    return cluster.until(found)[-1]


def started(cluster: Cluster) -> list[tuple[str, int]]:
    """Return who really began which attempt, by the journal, oldest first."""
    return [(line.who, line.attempt) for line in cluster.journal.read(Phase.START)]


def outline(cluster: Cluster) -> list[tuple[int, Status, Reason, str]]:
    """Return what the store keeps of the attempts, oldest first."""
    return [
        (record.attempt, record.status, record.reason, record.instance_id)
        for record in cluster.history()
    ]


def told_of(cluster: Cluster, who: str, attempt: int) -> list[str]:
    """Return the names of an instance's own events about an attempt, in order."""
    return [
        report.what
        for report in cluster.told(who)
        if report.attempt == attempt and report.what != "skip"
    ]


def check_takeover(
    cluster: Cluster, takeover: Report, gone: float, measure: Measure
) -> None:
    """Hold a takeover to its bounds, by the store's clock.

    ``gone`` is when the runner went, so its last heartbeat was a heartbeat before that
    at the earliest.
    """
    after = taken_at(cluster, takeover) - gone
    measure("takeover after the runner was gone", after, TAKEOVER_WITHIN)
    measure("takeover after the lease's end", takeover.waited, 2 * HEARTBEAT)
    assert LEASE - HEARTBEAT - SLACK <= after <= TAKEOVER_WITHIN + SLACK
    assert 0 <= takeover.waited <= 2 * HEARTBEAT + SLACK


def taken_at(cluster: Cluster, takeover: Report) -> float:
    """Return when the attempt before was ended, which is when it was taken over."""
    [before] = [
        record
        for record in cluster.history(takeover.job)
        if (record.slot, record.attempt) == (takeover.slot, takeover.attempt - 1)
    ]
    assert before.ended_at is not None
    return before.ended_at.timestamp()


def check_hand_over(cluster: Cluster, stopped: float, measure: Measure) -> None:
    """Hold the hand-over of the only run to its bounds, by the store's clock."""
    first, second = cluster.history()[:2]
    assert first.ended_at is not None
    assert [True, False] == [first.handed_over, second.handed_over]
    released = first.ended_at.timestamp() - stopped
    taken = (second.started_at - first.ended_at).total_seconds()
    measure("release after the signal", released, 0.0)
    measure("hand-over after the release", taken, HAND_OVER_WITHIN)
    assert released <= SLACK
    assert 0 <= taken <= HAND_OVER_WITHIN + SLACK
