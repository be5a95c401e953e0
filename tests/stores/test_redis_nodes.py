"""Several Redis servers that make one store: one of them goes, and all goes on."""

from pathlib import Path

import pytest

from tests.processes.setup import Handler
from tests.servers.cluster import ClusterOfThree
from tests.servers.sentinel import SentinelTrio
from tests.stores.outages import (
    begin,
    check_goes_on,
    check_stops,
    check_survived,
    check_told,
    cluster_on,
    lines_of,
    lived_through,
)
from tests.stores.stores import KINDS, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

[LEASE_KIND] = [kind for kind in KINDS if kind.id == "redis-lease"]
# enough for each node to have some
MANY = [f"job {number}" for number in range(8)]
DOWN = 3.0


def test_a_failover_by_sentinels_costs_no_run(tmp_path: Path) -> None:
    """The promoted replica has the run that is under way, and the next slots."""
    with SentinelTrio() as trio:
        places = ",".join(f"{host}:{port}" for host, port in trio.addresses)
        store = f"sentinels://{places}/{trio.service}?namespace={new_namespace()}"
        with cluster_on(store, tmp_path, LEASE_KIND) as cluster:
            begin(cluster, takes=8)

            def fail_over() -> None:
                replica = trio.replica
                trio.master.kill()
                trio.until_master(replica)

            outage = lived_through(cluster, fail_over)
            after = check_goes_on(cluster, outage)
            check_survived(cluster, outage)
            check_told(cluster, outage)
            stopped = check_stops(cluster, "AB")
    print(f"{outage.length:.1f} s, again after {after:.2f} s, stops in {stopped:.2f} s")


def test_a_restart_of_a_cluster_node_costs_no_run(tmp_path: Path) -> None:
    """Jobs of every node go on, also those of the node that was away."""
    with ClusterOfThree() as nodes:
        first = nodes.nodes[0]
        store = f"nodes://{first.host}:{first.port}?namespace={new_namespace()}"
        with cluster_on(store, tmp_path, LEASE_KIND) as cluster:
            for job in MANY:
                cluster.every(job, 1.0, Handler())
            begin(cluster, takes=DOWN + 8)

            def restart() -> None:
                first.restart(DOWN)
                nodes.until_whole()

            outage = lived_through(cluster, restart)
            after = check_goes_on(cluster, outage)
            for job in MANY:
                assert lines_of(cluster, job)[-1].at > outage.up + after
            check_survived(cluster, outage)
            check_told(cluster, outage)
            stopped = check_stops(cluster, "AB")
    print(f"{outage.length:.1f} s, again after {after:.2f} s, stops in {stopped:.2f} s")
