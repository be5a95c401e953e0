"""The description of a PostgreSQL store: what it takes, shows and refuses."""

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

import pytest

from anarchon.backends import backend_from
from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.postgres.schema import set_up
from anarchon.backends.postgres.sql import Schema
from anarchon.errors import BackendTooOld, InvalidOption

if TYPE_CHECKING:
    from anarchon.backends.postgres.driver import Connection

URL = "postgresql://tom:s3cret@host:5432/db"


def test_url_shows_no_secret() -> None:
    """The repr names host, database and namespace, and neither user nor password."""
    shown = "PostgresBackend('postgresql://***@host:5432/db', namespace='shop')"
    assert shown == repr(backend_from(f"{URL}?namespace=shop&sslmode=require"))


def test_backend_is_described_without_the_driver() -> None:
    """It is a lease store of asyncio, which remembers for ever."""
    backend = PostgresBackend(URL)
    described = (backend.name, backend.leases, backend.needs_asyncio)
    assert ("postgresql", True, True) == described
    assert backend.remembers is None


@pytest.mark.parametrize("namespace", ["pg_temp", "n" * 64, "", "a b", 'a"b'])
def test_namespace_that_names_no_schema_is_refused(namespace: str) -> None:
    """A name that the server keeps for itself, or would cut, or that needs quotes."""
    with pytest.raises(InvalidOption, match="namespace"):
        PostgresBackend(URL, namespace=namespace)


@pytest.mark.parametrize("url", ["host/db", "mysql://tom:s3cret@host/db", ""])
def test_url_of_something_else_is_refused(url: str) -> None:
    """The error shows what a URL looks like, and not the one that was given."""
    with pytest.raises(InvalidOption, match="postgresql://user:password") as refused:
        PostgresBackend(url)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("client", [None, 5432, b"postgresql://host/db"])
def test_client_that_is_none_is_refused(client: object) -> None:
    """The error says what may stand there."""
    with pytest.raises(InvalidOption, match=r"asyncpg\.Pool"):
        PostgresBackend(client)


class OldServer:
    """A connection to a server that is older than any that is to be had."""

    async def copy_from_query(
        self, query: str, *, output: Callable[[bytes], Awaitable[None]], **_: str
    ) -> str:
        """Tell the version, framed as a COPY frames it."""
        told = json.dumps({"version": "11.22", "number": 110_022}).encode()
        await output(bytes(25) + told + bytes(2))
        return "COPY 1"


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_server_that_is_too_old_is_refused() -> None:
    """The error names the version that was found and the one that is needed."""
    connection = cast("Connection", OldServer())
    with pytest.raises(BackendTooOld, match=r"11\.22 at here.*12 or newer"):
        await set_up(connection, Schema("anarchon"), "here")
