"""pgbouncer in transaction mode, before a PostgreSQL 18 of its own."""

from pathlib import Path

from tests.servers.options import USUAL, Options
from tests.servers.postgres import DATABASE, USER, Postgres, psql
from tests.servers.programs import from_debian, version_of
from tests.servers.server import Server
from tests.servers.users import unprivileged


class PgBouncer(Server):
    """The pooler; ``settings`` are its own. ``database`` is the server behind it.

    What is done to it is done to the pooler alone.
    """

    def __init__(self, name: str, options: Options = USUAL) -> None:
        self.program = from_debian(name, "pgbouncer", "pgbouncer")
        super().__init__(name, version_of(self.program), user=unprivileged())
        self.database = Postgres("postgres18", Options(password=options.password))
        self._settings = options.settings

    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port."""
        return self.database.url_at(port)

    def prepare(self) -> None:
        """Start the server behind it, and write its configuration."""
        self.database.start()
        secret = self.database.password.replace('"', '""')
        users = self.own_file("users", f'"{USER}" "{secret}"\n')
        entries = {**self._configuration(users), **self._settings}
        lines = [f"{key} = {value}" for key, value in entries.items()]
        self.own_file("pgbouncer.ini", "\n".join([*self._databases(), *lines, ""]))

    def command(self) -> list[str]:
        """Return the command that runs it."""
        return [str(self.program), str(self.folder / "pgbouncer.ini")]

    def answers(self) -> bool:
        """Ask the server behind it something."""
        return self.ask("select 1") == "1"

    def ask(self, statement: str) -> str:
        """Run a statement and return its rows, one a line, columns apart by ``|``."""
        return psql(self.database.programs, self.url, statement)

    def close(self) -> None:
        """End it and the server behind it, and remove their folders."""
        super().close()
        self.database.close()

    def _databases(self) -> list[str]:
        behind = f"host={self.host} port={self.database.port} dbname={DATABASE}"
        return ["[databases]", f"{DATABASE} = {behind}", "[pgbouncer]"]

    def _configuration(self, users: Path) -> dict[str, str]:
        return {
            "listen_addr": self.host,
            "listen_port": str(self.port),
            "unix_socket_dir": "",
            "auth_type": "scram-sha-256",
            "auth_file": str(users),
            "pool_mode": "transaction",
        }
