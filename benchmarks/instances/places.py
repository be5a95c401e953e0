"""Where each subject keeps what it keeps: empty whenever it begins.

Decides how servers are shared, and how they are emptied. Must not know who is measured.
"""

import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks.instances.process import ROOT
from benchmarks.instances.subjects import Subject
from benchmarks.stores import EVERY_SECOND
from tests.servers.fleet import Fleet
from tests.servers.postgres import DATABASE, Postgres
from tests.servers.redis import Redis
from tests.servers.server import Server

PREPARED_WITHIN = 60.0
EMPTY = "template1"


class Places:
    """The servers that the subjects share, each started when it is first needed.

    Where tables are made first, they are made for so many ``jobs``.
    """

    def __init__(self, fleet: Fleet, stack: ExitStack, jobs: int) -> None:
        self._jobs = str(jobs)
        self._fleet = fleet
        self._stack = stack
        self._servers: dict[str, Server] = {}
        self._prepared: dict[str, str] = {}
        self._number = 0

    @contextmanager
    def place(self, subject: Subject) -> Generator[str]:
        """Yield the URL of an empty store, as this subject wants it."""
        self._number += 1
        if not subject.shared:
            yield "memory://"
        elif subject.server is None:
            with tempfile.TemporaryDirectory() as folder:
                yield f"sqlite:///{folder}/store.db"
        else:
            server = self._server(subject.server)
            yield f"{self._emptied(server, subject)}{self._options(subject)}"

    def pids(self, subject: Subject) -> Sequence[int]:
        """Return the first process of the server that a subject uses, if it is one."""
        server = self._servers.get(subject.server or "")
        return [server.pid] if server else []

    def _server(self, name: str) -> Server:
        if name not in self._servers:
            redis = name.startswith(("redis", "valkey"))
            settings = EVERY_SECOND if redis else {}
            server = self._fleet.fresh(name, settings=settings)
            self._servers[name] = self._stack.enter_context(server)
        return self._servers[name]

    def _emptied(self, server: Server, subject: Subject) -> str:
        if isinstance(server, Redis):
            with server.client() as client:
                client.flushall()  # pyright: ignore[reportUnknownMemberType]
        if isinstance(server, Postgres):
            template = self._template(server, subject)
            return new_database(server, "run", template)
        return server.url

    def _options(self, subject: Subject) -> str:
        if subject.peer is not None:
            return ""
        # where nothing else parts them from those before
        options = {"namespace": f"bench{self._number}", **subject.options}
        return "?" + "&".join(f"{name}={value}" for name, value in options.items())

    def _template(self, server: Postgres, subject: Subject) -> str:
        """Return the database whose copies have the tables that the subject wants."""
        if not subject.prepare:
            return EMPTY
        if subject.name not in self._prepared:
            template = f"prepared{len(self._prepared)}"
            url = new_database(server, template)
            prepare([*subject.command, "--url", url, "--jobs", self._jobs, "--at", "1"])
            self._prepared[subject.name] = template
        return self._prepared[subject.name]


def new_database(server: Postgres, name: str, template: str = EMPTY) -> str:
    """Make a database anew, as a copy of the template; return its URL."""
    server.ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    server.ask(f"CREATE DATABASE {name} TEMPLATE {template}")
    return f"{server.url.removesuffix(DATABASE)}{name}"


def prepare(command: Sequence[str]) -> None:
    """Let a program make its tables, and wait until it has."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(  # noqa: S603  # our own
            [*command, "--prepare", "--log", f"{folder}/log"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            timeout=PREPARED_WITHIN,
        )
