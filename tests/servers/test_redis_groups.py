"""Sentinel and Cluster, as far as the tests of backends rely on them."""

import pytest

from tests.servers.cluster import ClusterOfThree
from tests.servers.options import Options
from tests.servers.sentinel import SentinelTrio

pytestmark = [pytest.mark.servers, pytest.mark.timeout(60)]


def test_sentinels_make_the_replica_the_master() -> None:
    """When the master dies its replica takes over, with the data."""
    with SentinelTrio("redis8", Options(password="open sesame")) as trio:
        old, new = trio.master, trio.replica
        with old.client() as client:
            client.set("kept", "something")
            assert 1 == client.wait(1, 5_000)
        old.kill()
        trio.until_master(new)
        with new.client() as client:
            assert "something" == client.get("kept")


def test_cluster_is_whole_again_after_a_node_was_killed() -> None:
    """Each node answers for its keys, and so does one that was restarted."""
    with ClusterOfThree("redis8") as cluster:
        owners = {cluster.owner_of(key) for key in ("a", "b", "c")}
        assert set(cluster.nodes) == owners
        owner = cluster.owner_of("a")
        with owner.client() as client:
            client.set("a", "something")
        owner.restart()
        cluster.until_whole()
        with owner.client() as client:
            assert "something" == client.get("a")
