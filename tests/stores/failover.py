"""A Redis master and its replica, behind one address that leads to the master.

Decides how the replica is promoted, and what it has got by then.
"""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from tests.servers.options import Options
from tests.servers.proxy import Proxy
from tests.servers.redis import Redis
from tests.servers.waits import wait_until

LINKED_WITHIN = 15.0
# a master waits for further replicas before it sends its data, else
AT_ONCE = {"repl-diskless-sync-delay": "0"}


class Pair:
    """Both servers; ``url`` is that of the address."""

    def __init__(self, master: Redis, replica: Redis, stack: ExitStack) -> None:
        self.master = master
        self.replica = replica
        self._stack = stack
        self._address = stack.enter_context(Proxy(master.port))
        self.url = master.url_at(self._address.port)

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
        port = self._address.port
        self._address.refuse()
        self._address = Proxy(self.replica.port)
        self._address.port = port
        self._stack.enter_context(self._address)

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
    with ExitStack() as stack:
        master = stack.enter_context(Redis(name, Options(settings=AT_ONCE)))
        replica = stack.enter_context(Redis(name).replica_of(master))
        pair = Pair(master, replica, stack)
        pair.until_linked()
        yield pair
