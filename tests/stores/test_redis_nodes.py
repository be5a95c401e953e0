"""Several Redis servers that make one store: one of them goes, and all goes on."""

from pathlib import Path

import pytest

from tests.servers.cluster import ClusterOfThree
from tests.servers.sentinel import SentinelTrio
from tests.stores.outages import cluster_on, live_through
from tests.stores.stores import KINDS, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

[LEASE_KIND] = [kind for kind in KINDS if kind.id == "redis-lease"]
# enough for each node to have some
MANY = [f"job {number}" for number in range(8)]
DOWN = 4.0


def test_a_failover_by_sentinels_costs_no_run(tmp_path: Path) -> None:
    """The promoted replica has the run that is under way, and the next slots."""
    with SentinelTrio() as trio:
        places = ",".join(f"{host}:{port}" for host, port in trio.addresses)
        store = f"sentinels://{places}/{trio.service}?namespace={new_namespace()}"

        def fail_over() -> None:
            replica = trio.replica
            trio.master.kill()
            trio.until_master(replica)

        with cluster_on(store, tmp_path, LEASE_KIND) as cluster:
            live_through(cluster, fail_over, takes=8)


def test_a_restart_of_a_cluster_node_costs_no_run(tmp_path: Path) -> None:
    """Jobs of every node go on, also those of the node that was away."""
    with ClusterOfThree() as nodes:
        first = nodes.nodes[0]
        store = f"nodes://{first.host}:{first.port}?namespace={new_namespace()}"

        def restart() -> None:
            first.restart(DOWN)
            nodes.until_whole()

        with cluster_on(store, tmp_path, LEASE_KIND) as cluster:
            live_through(cluster, restart, takes=DOWN + 8, jobs=MANY)
