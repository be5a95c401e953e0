"""The schema of a PostgreSQL store: who may make it, when, and on which server."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.errors import BackendTooOld, BackendUnavailable
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.postgres import Postgres
from tests.servers.server import Server
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

TALKATIVE = {"log_min_messages": "notice", "log_statement": "ddl"}


def postgres(fleet: Fleet, name: str = "postgres18") -> Postgres:
    """Return the server that all tests share."""
    server = fleet[name]
    assert isinstance(server, Postgres)
    return server


def fresh(fleet: Fleet, settings: Mapping[str, str]) -> Postgres:
    """Return a server of the test's own; entering it starts it."""
    server = fleet.fresh("postgres18", settings=settings)
    assert isinstance(server, Postgres)
    return server


def as_role(server: Server, role: str) -> str:
    """Return the server's URL for a role whose password is its name."""
    return re.sub(r"//.*@", f"//{role}:{role}@", server.url)


async def wins(link: Link) -> bool:
    """Tell whether a claim is granted."""
    [slot] = past_slots(1)
    reply = await link.call(link.store.claim, claim_of("job", slot, "token", "A"))
    return isinstance(reply, Won)


async def test_twenty_first_starts_at_once_make_one_schema(fleet: Fleet) -> None:
    """Whoever comes second waits for the first, and the log has no error of it."""
    server, name = postgres(fleet), new_namespace()
    before = server.log.stat().st_size
    opened = 0

    async def start() -> None:
        nonlocal opened
        async with linked(PostgresBackend(server.url, namespace=name)):
            opened += 1

    async with anyio.create_task_group() as instances:
        for _ in range(20):
            instances.start_soon(start)
    assert 20 == opened
    assert "1" == server.ask(f'SELECT count(*) FROM "{name}".schema_version')
    assert "ERROR" not in added(server.log, before)


async def test_later_starts_leave_the_schema_alone(fleet: Fleet) -> None:
    """A start that finds its schema runs no DDL, and gives no notice."""
    with fresh(fleet, TALKATIVE) as server:
        async with linked(PostgresBackend(server.url)):
            pass
        assert "CREATE TABLE" in server.log.read_text()
        before = server.log.stat().st_size
        async with linked(PostgresBackend(server.url)) as link:
            assert await wins(link)
        told = added(server.log, before)
        assert not re.search("CREATE|ALTER|NOTICE|ERROR", told), told


async def test_role_needs_no_right_beyond_a_schema_that_is_given_to_it(
    fleet: Fleet,
) -> None:
    """An administrator makes the schema; the role fills it, and makes no other."""
    server, name = postgres(fleet), new_namespace()
    server.ask(f"CREATE ROLE {name} LOGIN PASSWORD '{name}'")
    url = as_role(server, name)
    with pytest.raises(BackendUnavailable, match="permission denied"):
        async with linked(PostgresBackend(url, namespace=name)):
            pass
    server.ask(f'CREATE SCHEMA "{name}" AUTHORIZATION {name}')
    async with linked(PostgresBackend(url, namespace=name)) as link:
        assert await wins(link)


async def test_role_needs_no_right_to_make_what_is_there(fleet: Fleet) -> None:
    """Once the schema is made, reading and writing its rows is enough."""
    server, name = postgres(fleet), new_namespace()
    async with linked(PostgresBackend(server.url, namespace=name)):
        pass
    server.ask(
        f"CREATE ROLE {name} LOGIN PASSWORD '{name}';"
        f'GRANT USAGE ON SCHEMA "{name}" TO {name};'
        f'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "{name}"'
        f" TO {name}"
    )
    url = as_role(server, name)
    async with linked(PostgresBackend(url, namespace=name)) as link:
        assert await wins(link)


async def test_schema_of_a_newer_version_is_refused(fleet: Fleet) -> None:
    """It isn't touched, and both versions are told."""
    server, name = postgres(fleet), new_namespace()
    async with linked(PostgresBackend(server.url, namespace=name)):
        pass
    server.ask(f'UPDATE "{name}".schema_version SET version = 99')
    with pytest.raises(BackendTooOld, match=r"version 99.* version 1$"):
        async with linked(PostgresBackend(server.url, namespace=name)):
            pass


async def test_tables_of_others_are_left_alone(fleet: Fleet) -> None:
    """A schema with somebody else's table of our name is refused as a whole."""
    server, name = postgres(fleet), new_namespace()
    server.ask(f'CREATE SCHEMA "{name}"; CREATE TABLE "{name}".runs (id int)')
    with pytest.raises(BackendUnavailable, match='"runs" already exists'):
        async with linked(PostgresBackend(server.url, namespace=name)):
            pass
    count = f"SELECT count(*) FROM pg_tables WHERE schemaname = '{name}'"
    assert "1" == server.ask(count)


async def test_standby_is_refused(fleet: Fleet) -> None:
    """A store is written to: the message says to name the primary."""
    with fresh(fleet, {}) as server:
        server.stop()
        server.own_file("data/standby.signal", "")
        server.start()
        with pytest.raises(BackendUnavailable, match=r"standby.*primary"):
            async with linked(PostgresBackend(server.url)):
                pass


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("default_transaction_read_only=on", "default_transaction_read_only"),
        ("default_transaction_isolation=serializable", "default_transaction_isolation"),
        (
            f"default_transaction_isolation={quote('repeatable read')}",
            "default_transaction_isolation",
        ),
    ],
)
async def test_unfit_transactions_are_refused(
    fleet: Fleet, setting: str, problem: str
) -> None:
    """A role whose transactions would read stale rows, or write none, is told so."""
    server = postgres(fleet)
    with pytest.raises(BackendUnavailable, match=problem):
        async with linked(PostgresBackend(f"{server.url}?{setting}")):
            pass


async def test_url_may_set_the_isolation_right(fleet: Fleet) -> None:
    """Where the server's default is another one, the way out that is told works."""
    with fresh(fleet, {"default_transaction_isolation": "repeatable read"}) as server:
        setting = f"default_transaction_isolation={quote('read committed')}"
        async with linked(PostgresBackend(f"{server.url}?{setting}")) as link:
            assert await wins(link)


async def test_tls_is_verified(fleet: Fleet) -> None:
    """What the URL asks of asyncpg is done: the certificate's authority is checked."""
    with fleet.fresh("postgres15", tls=True) as server:
        async with linked(PostgresBackend(server.url)) as link:
            assert await wins(link)
        plain = server.url.partition("?")[0]
        with pytest.raises(BackendUnavailable):
            async with linked(PostgresBackend(f"{plain}?sslmode=disable")):
                pass


def added(log: Path, before: int) -> str:
    """Return what a log has beyond a length."""
    with log.open("rb") as file:
        file.seek(before)
        return file.read().decode(errors="replace")
