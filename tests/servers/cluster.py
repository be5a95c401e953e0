"""A Redis Cluster of three masters, which share the hash slots."""

from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from tests.servers.options import USUAL, Options
from tests.servers.ports import free_port
from tests.servers.redis import Redis
from tests.servers.waits import wait_until

HASH_SLOTS = 16_384
FORMS_WITHIN = 20.0


class ClusterOfThree:
    """Three nodes; entering the block starts and joins them, leaving it ends them."""

    def __init__(self, name: str = "redis8", options: Options = USUAL) -> None:
        self.nodes = [Redis(name, _with_bus(options)) for _ in range(3)]
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for node in self.nodes:
                stack.enter_context(node)
            self._join()
            self.until_whole()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        """The URL of one node, which tells clients of the others."""
        return self.nodes[0].url

    def until_whole(self) -> None:
        """Wait until every node knows all nodes, and that all hash slots are served."""
        wait_until(
            lambda: all(_is_whole(node) for node in self.nodes),
            FORMS_WITHIN,
            lambda: "the cluster doesn't form",
        )

    def owner_of(self, key: str) -> Redis:
        """Return the node that keeps this key."""
        with self.nodes[0].client() as client:
            hash_slot = int(client.cluster("keyslot", key))
        share = HASH_SLOTS // len(self.nodes)
        return self.nodes[min(hash_slot // share, len(self.nodes) - 1)]

    def _join(self) -> None:
        for position, node in enumerate(self.nodes):
            with node.client() as client:
                client.cluster("set-config-epoch", position + 1)
                client.cluster("addslotsrange", *self._share(position))
                if position:
                    client.cluster("meet", *_address(self.nodes[0]))

    def _share(self, position: int) -> tuple[int, int]:
        """Return the first and the last hash slot of a node."""
        size, last = HASH_SLOTS // len(self.nodes), len(self.nodes) - 1
        end = HASH_SLOTS if position == last else (position + 1) * size
        return position * size, end - 1


def _with_bus(options: Options) -> Options:
    cluster = {
        "cluster-enabled": "yes",
        "cluster-port": str(free_port()),
        "cluster-node-timeout": "2000",
    }
    return replace(options, settings={**cluster, **options.settings})


def _address(node: Redis) -> tuple[str, int, str]:
    return node.host, node.port, node.settings["cluster-port"]


def _is_whole(node: Redis) -> bool:
    with node.client() as client:
        state = client.cluster("info")
    return (state["cluster_state"], state["cluster_known_nodes"]) == ("ok", "3")
