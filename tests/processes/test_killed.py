"""A runner that is killed in the middle of a run."""

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Phase
from tests.processes.scenes import (
    Measure,
    a_run,
    at_work,
    check_takeover,
    mixed,
    outline,
    started,
    told_of,
)

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
SCHEDULED, TAKEOVER = Reason.SCHEDULED, Reason.TAKEOVER


def test_a_backup_finishes_the_run(cluster: Cluster, measure: Measure) -> None:
    """When the lease has ended one backup runs the job from the start, as attempt 2."""
    run = a_run(cluster)
    losers = {"A", "B", "C"} - {run.who}
    skips = cluster.until(lambda: cluster.all_skipped(run.slot, losers))
    assert {("taken", run.who)} == {(skip.reason, skip.by) for skip in skips}
    killed = cluster[run.who].kill()
    cluster.until_seen("success")

    [takeover] = cluster.seen("takeover")
    backup = takeover.who
    assert (run.slot, run.who, 2) == (
        takeover.slot,
        takeover.from_instance,
        takeover.attempt,
    )
    check_takeover(cluster, takeover, killed, measure)
    assert ["takeover", "start", "success"] == told_of(cluster, backup, 2)
    assert [(1, INTERRUPTED, SCHEDULED, run.who), (2, SUCCESS, TAKEOVER, backup)] == (
        outline(cluster)
    )
    assert [(run.who, 1), (backup, 2)] == started(cluster)
    assert [(backup, 2)] == [
        (e.who, e.attempt) for e in cluster.journal.read(Phase.END)
    ]
    assert skips == cluster.seen("skip")


@mixed
def test_every_attempt_is_followed_up_to_the_limit(
    cluster: Cluster, measure: Measure
) -> None:
    """Each kill costs an attempt; when none is left, whoever notices ends the run."""
    a_run(cluster, "ABCD")
    runners = []
    for attempt in (1, 2, 3):
        runners.append(at_work(cluster, attempt).who)
        killed = cluster[runners[-1]].kill()
        if attempt < 3:
            takeover = cluster.until_seen("takeover", attempt=attempt + 1)
            check_takeover(cluster, takeover, killed, measure)
    final = cluster.until_seen("interrupted")

    one, two, three = runners
    assert {"A", "B", "C", "D"} == {*runners, final.who}
    assert (3, True, False) == (final.attempt, final.final, final.handed_over)
    assert [(one, 1), (two, 2), (three, 3)] == started(cluster)
    assert [
        (1, INTERRUPTED, SCHEDULED, one),
        (2, INTERRUPTED, TAKEOVER, two),
        (3, INTERRUPTED, TAKEOVER, three),
    ] == outline(cluster)
