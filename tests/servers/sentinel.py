"""A Redis master, its replica, and three Sentinels that choose another master."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tests.servers.options import USUAL, Options
from tests.servers.redis import Redis
from tests.servers.waits import wait_until

SERVICE = "anarchon"
DOWN_AFTER = 1.0
AGREE_WITHIN = 20.0


class Sentinel(Redis):
    """One Sentinel; what it is told to watch, and what it learns, is in a file."""

    def __init__(self, name: str, master: Redis) -> None:
        super().__init__(name)
        self._master = master

    def prepare(self) -> None:
        """Write what it begins with."""
        lines = [
            f"bind {self.host}",
            f"port {self.port}",
            f"dir {self.folder}",
            f"sentinel monitor {SERVICE} {self._master.host} {self._master.port} 2",
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER * 1000:.0f}",
            f"sentinel failover-timeout {SERVICE} 5000",
        ]
        if self._master.password:
            lines.append(f'sentinel auth-pass {SERVICE} "{self._master.password}"')
        self.own_file("sentinel.conf", "\n".join([*lines, ""]))

    def command(self) -> list[str]:
        """Return the command that runs it."""
        return [str(self.program), str(self.folder / "sentinel.conf"), "--sentinel"]

    def master_port(self) -> int:
        """Return the port of the master that it believes in."""
        with self.client() as client:
            return int(client.sentinel_get_master_addr_by_name(SERVICE)[1])

    def agrees(self) -> bool:
        """Whether it knows the two others and one replica."""
        with self.client() as client:
            known = client.sentinel_master(SERVICE)
        return (known["num-other-sentinels"], known["num-slaves"]) == (2, 1)


class SentinelTrio:
    """All five; entering the block starts them, leaving it ends them.

    ``SERVICE`` is the name that clients ask the ``sentinels`` for.
    """

    service = SERVICE

    def __init__(self, name: str = "redis8", options: Options = USUAL) -> None:
        self.first = Redis(name, options)
        self.second = Redis(name, options).replica_of(self.first)
        # whoever becomes master or replica later must get in as well
        if self.first.password:
            self.first.settings["masterauth"] = self.first.password
        self.sentinels = [Sentinel(name, self.first) for _ in range(3)]
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for server in (self.first, self.second, *self.sentinels):
                stack.enter_context(server)
            wait_until(self._all_agree, AGREE_WITHIN, lambda: "Sentinels don't agree")
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
    def addresses(self) -> list[tuple[str, int]]:
        """Where the Sentinels are."""
        return [(sentinel.host, sentinel.port) for sentinel in self.sentinels]

    @property
    def master(self) -> Redis:
        """The server that the first Sentinel now takes for the master."""
        port = self.sentinels[0].master_port()
        return self.first if port == self.first.port else self.second

    @property
    def replica(self) -> Redis:
        """The other one."""
        return self.second if self.master is self.first else self.first

    def until_master(self, server: Redis, within: float = AGREE_WITHIN) -> None:
        """Wait until this one is the master, and all Sentinels say so."""
        wait_until(
            lambda: (
                all(one.master_port() == server.port for one in self.sentinels)
                and _role(server) == "master"
            ),
            within,
            lambda: f"{server} doesn't become the master",
        )

    def _all_agree(self) -> bool:
        linked = _role(self.second) == "slave" and _is_linked(self.second)
        return linked and all(sentinel.agrees() for sentinel in self.sentinels)


def _role(server: Redis) -> str:
    with server.client() as client:
        return str(client.info("replication")["role"])


def _is_linked(replica: Redis) -> bool:
    with replica.client() as client:
        return str(client.info("replication")["master_link_status"]) == "up"
