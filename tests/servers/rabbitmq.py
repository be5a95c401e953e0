"""RabbitMQ 3.10.

Decides how a node lives apart from any other on the machine: its own names, ports and
folders, a user of its own, and the small port mapper that Erlang wants beside it.
"""

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from tests.servers.options import USUAL, Options
from tests.servers.ports import free_port
from tests.servers.programs import from_debian
from tests.servers.server import Server

if TYPE_CHECKING:
    import subprocess

USER, PASSWORD = "anarchon", "open-sesame"
PATIENCE = 5.0
GREETING = b"AMQP\x00\x00\x09\x01"
METHOD_FRAME = b"\x01"
SCRIPTS = Path("/usr/lib/rabbitmq/bin")
# A node that has never had a stream forgets the first one if it is killed within three
# seconds: the table of its own Raft members isn't written yet. No node that is in use
# is that young.
HAVE_HAD_A_STREAM = f"""
Name = rabbit_misc:r(<<"/">>, queue, <<"first">>),
Kind = [{{<<"x-queue-type">>, longstr, <<"stream">>}}],
{{new, Queue}} = rabbit_amqqueue:declare(Name, true, false, Kind, none, <<"{USER}">>),
{{ok, _}} = rabbit_amqqueue:delete(Queue, false, false, <<"{USER}">>),
[dets:sync(Table) || Table <- dets:all()].
"""
LOOPBACK_ONLY = "-kernel inet_dist_use_interface {127,0,0,1}"


class RabbitMQ(Server):
    """One node; ``settings`` are those of its configuration file."""

    starts_within: ClassVar[float] = 60.0
    stops_within: ClassVar[float] = 30.0

    def __init__(self, name: str, options: Options = USUAL) -> None:
        from_debian(name, "rabbitmq-server", "rabbitmq-server")
        self.mapper = from_debian(name, "epmd", "erlang-base")
        super().__init__(name, _version())
        self.password = options.password or PASSWORD
        self.settings = {**self._configuration(), **options.settings}
        self._mapper_port = free_port()
        self._node_port = free_port()
        self._mapper: subprocess.Popen[bytes] | None = None

    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port."""
        secret = f"{USER}:{quote(self.password, safe='')}"
        return f"amqp://{secret}@{self.host}:{port}/"

    def prepare(self) -> None:
        """Write its configuration, and start the port mapper."""
        entries = [f"{key} = {value}\n" for key, value in self.settings.items()]
        self.own_file("rabbitmq.conf", "".join(entries))
        self.own_file("plugins", "[].")
        where = ["-address", self.host, "-port", str(self._mapper_port)]
        self._mapper = self.spawn([str(self.mapper), *where])

    def command(self) -> list[str]:
        """Return the command that runs it."""
        # what stands in PATH instead wants to be another user
        return [str(SCRIPTS / "rabbitmq-server")]

    def environment(self) -> dict[str, str]:
        """Return what keeps it apart from other nodes."""
        return {
            **os.environ,
            "HOME": str(self.folder),
            "ERL_EPMD_ADDRESS": self.host,
            "ERL_EPMD_PORT": str(self._mapper_port),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_DIST_PORT": str(self._node_port),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": LOOPBACK_ONLY,
            "RABBITMQ_NODENAME": f"anarchon-{self.port}@localhost",
        }

    def answers(self) -> bool:
        """Greet it, and look whether it greets back."""
        with socket.create_connection((self.host, self.port), PATIENCE) as connection:
            connection.sendall(GREETING)
            return connection.recv(1) == METHOD_FRAME

    def start(self) -> None:
        """Start it and return once it answers, and has had a stream."""
        first = self._mapper is None
        super().start()
        if first:
            who = ["--node", self.environment()["RABBITMQ_NODENAME"]]
            control = str(SCRIPTS / "rabbitmqctl")
            self.call([control, "--quiet", *who, "eval", HAVE_HAD_A_STREAM])

    def close(self) -> None:
        """End it and its port mapper, and remove its folder."""
        super().close()
        if self._mapper is not None:
            self._mapper.kill()
            self._mapper.wait(PATIENCE)

    def _configuration(self) -> dict[str, str]:
        return {
            "listeners.tcp.1": f"{self.host}:{self.port}",
            "default_user": USER,
            "default_pass": self.password,
        }


def _version() -> str:
    [home] = Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*")
    return home.name.removeprefix("rabbitmq_server-")
