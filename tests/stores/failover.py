"""A Redis master and its replica, behind one address that leads to the master.

Decides how the replica is promoted, and what it has got by then.
"""

from collections.abc import Generator
from contextlib import contextmanager

from tests.servers.options import Options
from tests.servers.proxy import Proxy
from tests.servers.redis import Redis
from tests.servers.waits import wait_until

LINKED_WITHIN = 15.0
# a master waits for further replicas before it sends its data, else
AT_ONCE = {"repl-diskless-sync-delay": "0"}


class Pair:
    """Both servers; ``url`` is that of the address."""

    def __init__(self, master: Redis, replica: Redis, address: Proxy) -> None:
        self.master = master
        self.replica = replica
        self._address = address
        self.url = master.url_at(address.port)

    def replicate(self) -> None:
        """Wait until the replica has all that the master was told so far."""
        with self.master.client() as client:
            client.set("told last", "")
            assert client.wait(1, round(LINKED_WITHIN * 1000)) == 1

    def promote(self) -> None:
        """Make the replica a master of what it has; it gets nothing more."""
        with self.replica.client() as client:
            client.replicaof("NO", "ONE")

    def follow_again(self) -> None:
        """Make the replica a replica again, which forgets what the master hasn't."""
        with self.replica.client() as client:
            client.replicaof(self.master.host, str(self.master.port))

    def fail_over(self) -> None:
        """Kill the master, and let the address lead to the promoted replica."""
        self.master.kill()
        self.promote()
        self._address.redirect(self.replica.port)

    def switch_over(self) -> None:
        """Let both change places; who is connected stays with what was the master."""
        self.promote()
        with self.master.client() as client:
            client.replicaof(self.replica.host, str(self.replica.port))
        self._address.redirect(self.replica.port)

    def until_linked(self) -> None:
        """Wait until the replica follows the master."""
        wait_until(self._is_linked, LINKED_WITHIN, lambda: "the replica isn't linked")

    def _is_linked(self) -> bool:
        with self.replica.client() as client:
            state = client.info("replication")
        return str(state.get("master_link_status")) == "up"


@contextmanager
def replicated_pair(name: str = "redis8") -> Generator[Pair]:
    """Give a master with a replica that follows it."""
    with (
        Redis(name, Options(settings=AT_ONCE)) as master,
        Redis(name).replica_of(master) as replica,
        Proxy(master.port) as address,
    ):
        pair = Pair(master, replica, address)
        pair.until_linked()
        yield pair
