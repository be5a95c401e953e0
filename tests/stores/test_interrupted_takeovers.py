"""A store that is restarted just when a run is to be taken over."""

import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest

from anarchon.model import Reason, Status
from tests.processes.cluster import Cluster
from tests.processes.scenes import at_work, outline, started
from tests.processes.setup import Handler
from tests.servers.fleet import Fleet
from tests.servers.server import Server
from tests.stores.outages import SLACK, SOON, check_quiet, check_stops
from tests.stores.side_by_side import folders_in, side_by_side
from tests.stores.stores import KINDS, Kind, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

LEASING = [kind for kind in KINDS if kind.leases]
LEASE, HEARTBEAT = 6.0, 1.0
DOWN = 1.0
# the last call that hangs, and the backoff of the askings that failed meanwhile
ASKED_AGAIN_WITHIN = LEASE / 4 + 5.0


@pytest.fixture(scope="module")
def takeovers(
    fleet: Fleet, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Future[None]]:
    """Let a run be taken over on each kind of store that keeps leases."""
    folders = folders_in(tmp_path_factory.mktemp("takeover"), LEASING)

    def story(kind: Kind) -> None:
        with fleet.fresh(kind.server) as server:
            take_over(kind, server, folders[kind.id])

    return side_by_side(LEASING, story)


@pytest.mark.parametrize("kind", [kind.id for kind in LEASING])
def test_a_restart_in_a_takeover_delays_it(
    takeovers: Mapping[str, Future[None]], kind: str
) -> None:
    """One backup has the run when the store is back, once, and finishes it."""
    takeovers[kind].result()


def take_over(kind: Kind, server: Server, folder: Path) -> None:
    """Kill the runner, and restart the server around the end of its lease."""
    store = kind.url(server.url, new_namespace())
    with Cluster(
        folder, ("trio", "asyncio"), store, lease=LEASE, heartbeat=HEARTBEAT, jitter=0
    ) as cluster:
        cluster.soon = SOON
        cluster.load("ABC")
        cluster.once("sync", Handler(takes=3.0))
        cluster.begin()
        run = at_work(cluster)
        killed = cluster[run.who].kill()
        # the lease ends between a heartbeat before that long after the kill, and that
        time.sleep(LEASE - HEARTBEAT - 0.2)
        server.restart(HEARTBEAT + DOWN)
        back = time.time()
        within = ASKED_AGAIN_WITHIN + SLACK
        takeover = cluster.until(lambda: cluster.seen("takeover"), within, 0.1)[0]
        cluster.until_seen("success")

        assert back - killed >= LEASE
        assert [
            (1, Status.INTERRUPTED, Reason.SCHEDULED, run.who),
            (2, Status.SUCCESS, Reason.TAKEOVER, takeover.who),
        ] == outline(cluster)
        assert [(run.who, 1), (takeover.who, 2)] == started(cluster)
        check_stops(cluster, "".join(sorted({*"ABC"} - {run.who})))
        check_quiet(cluster)
    print(f"{kind.id}: taken over {takeover.at - back:.2f} s after the store was back")
