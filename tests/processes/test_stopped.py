"""A runner that is asked to stop in the middle of a run."""

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Phase
from tests.processes.scenes import (
    LEASE,
    SLACK,
    TAKEOVER_WITHIN,
    Measure,
    a_run,
    check_hand_over,
    mixed,
    outline,
    started,
    taken_at,
    told_of,
)
from tests.processes.setup import Handler

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
SCHEDULED, TAKEOVER = Reason.SCHEDULED, Reason.TAKEOVER


def test_the_run_is_handed_over(cluster: Cluster, measure: Measure) -> None:
    """After a SIGTERM a backup has the run at once, and it costs the run no attempt."""
    cluster.options["max_attempts"] = 1
    run = a_run(cluster)
    stopped = cluster[run.who].stop()
    takeover = cluster.until_seen("takeover")
    cluster.until_seen("success")

    assert 0 == cluster[run.who].ended()
    check_hand_over(cluster, stopped, measure)
    assert run.who == takeover.from_instance
    assert ["start", "interrupted"] == told_of(cluster, run.who, 1)
    [interrupted] = cluster.seen("interrupted")
    assert (True, False) == (interrupted.handed_over, interrupted.final)
    assert [] == cluster.seen("lost")
    assert [
        (1, INTERRUPTED, SCHEDULED, run.who),
        (2, SUCCESS, TAKEOVER, takeover.who),
    ] == outline(cluster)
    assert [(run.who, 1), (takeover.who, 2)] == started(cluster)
    [cancelled] = cluster.journal.read(Phase.CANCELLED)
    assert run.run == cancelled.run


@mixed
def test_a_deaf_handler_is_waited_for(cluster: Cluster) -> None:
    """Past the stop's timeout the lease is left to run out, and a backup takes over."""
    cluster.options["stop_timeout"] = timeout = 0.5
    run = a_run(cluster, handler=Handler(takes=3.0, deaf=True))
    stopped = cluster[run.who].stop()
    takeover = cluster.until_seen("takeover")

    waited = taken_at(cluster, takeover) - stopped
    assert timeout + LEASE / 2 < waited <= timeout + TAKEOVER_WITHIN + SLACK
    assert 0 == cluster[run.who].ended()
    interrupted = cluster.until_seen("interrupted", run.who)
    assert (False, False) == (interrupted.handed_over, interrupted.final)
    assert (1, INTERRUPTED, SCHEDULED, run.who) == outline(cluster)[0]
    assert [(run.who, 1), (takeover.who, 2)] == started(cluster)


@mixed
@pytest.mark.parametrize("serve", [True, False], ids=["served", "unheard"])
def test_ctrl_c_hands_over(cluster: Cluster, serve: bool, measure: Measure) -> None:
    """It is a graceful stop, whether the program listens to signals or is just cut."""
    cluster.serve = serve
    run = a_run(cluster)
    interrupted = cluster[run.who].interrupt()
    cluster.until_seen("success")

    # a bare KeyboardInterrupt comes out of the block, and the program catches that
    assert 0 == cluster[run.who].ended()
    assert serve == bool(cluster.seen("ended", run.who))
    check_hand_over(cluster, interrupted, measure)
    assert [(1, INTERRUPTED), (2, SUCCESS)] == [
        (attempt, status) for attempt, status, *_ in outline(cluster)
    ]
