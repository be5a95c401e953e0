"""The schema of one namespace: made once, by whichever instance comes first.

Decides which servers will do, and which version of the schema this code works with.
Must not know what is in it.
"""

from typing import cast

from anarchon.backends.postgres.driver import Connection
from anarchon.backends.postgres.sql import Query, Schema
from anarchon.backends.postgres.ways import Way, in_plain, prepared
from anarchon.backends.records import integer
from anarchon.errors import BackendTooOld, BackendUnavailable

VERSION = 1

# the first that tells a float exactly, so that a repeated end is known again
OLDEST = 12

# one for all namespaces: two that are made at the same time wait for each other
_SETTING_UP = "SELECT pg_advisory_xact_lock(hashtextextended('anarchon schema', 0))"


_SERVER = Query(
    """
    SELECT json_build_object(
        'version', current_setting('server_version'),
        'number', current_setting('server_version_num')::int,
        'process', pg_backend_pid(),
        'standby', pg_is_in_recovery(),
        'read only', current_setting('transaction_read_only') = 'on',
        'isolation', current_setting('transaction_isolation'),
        'encoding', current_setting('server_encoding'))
    """
)

# asked of the catalog's own tables: functions like to_regclass may answer from a cache,
# which doesn't learn what others did while this transaction waited for them
_IS_THERE = """
    SELECT to_json(EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1))
"""
_HAS_TABLES = """
    SELECT to_json(EXISTS (
        SELECT FROM pg_catalog.pg_class AS the_table
        JOIN pg_catalog.pg_namespace AS its_schema
            ON its_schema.oid = the_table.relnamespace
        WHERE nspname = $1 AND relname = 'schema_version'
    ))
"""


async def set_up(connection: Connection, schema: Schema, where: str) -> Way:
    """Check the server and create what is missing; return how it can be asked.

    Harmless when all of it is there. Cancelled, the schema is there or not,
    and never half of it.

    Raises:
        BackendTooOld: the server is, or a newer anarchon made the schema.
        BackendUnavailable: the server takes no writes, or not as they are needed.
    """
    way = await _check(connection, where)
    if await _agrees(connection, schema, where):
        return way
    async with connection.transaction():
        await connection.execute(_SETTING_UP)
        if not await _agrees(connection, schema, where):
            await _create(connection, schema)
    return way


async def _check(connection: Connection, where: str) -> Way:
    found = cast("dict[str, object]", await in_plain(connection, _SERVER))
    if integer(found["number"]) < OLDEST * 10_000:
        raise BackendTooOld(
            f"PostgreSQL {found['version']} at {where} is too old: {OLDEST} or newer "
            "is needed"
        )
    if problem := _unfit(found):
        raise BackendUnavailable(f"{where} can't be used: {problem}")
    # a pooler makes up the number of the process that it seems to be
    direct = connection.get_server_pid() == found["process"]
    return prepared if direct else in_plain


def _unfit(server: dict[str, object]) -> str | None:
    if server["standby"]:
        return "it is a standby, and a store is written to: name the primary"
    if server["read only"]:
        return "its transactions are read-only (default_transaction_read_only)"
    if (encoding := server["encoding"]) != "UTF8":
        return f"the database's encoding is {encoding}, which can't hold every name"
    if (isolation := server["isolation"]) != "read committed":
        return (
            f"its transactions are {isolation}, where a step would read what was true "
            "before it waited: set default_transaction_isolation to 'read committed' "
            "for this role, or in the URL"
        )
    return None


async def _agrees(connection: Connection, schema: Schema, where: str) -> bool:
    """Tell whether the schema is there, in the version that this code works with."""
    if not await in_plain(connection, Query(_HAS_TABLES, (schema.namespace,))):
        return False
    table = f"{schema.name}.schema_version"
    version = f"SELECT to_json(coalesce(max(version), 0)) FROM {table}"  # noqa: S608
    found = await in_plain(connection, Query(version))
    if found == VERSION:
        return True
    raise BackendTooOld(
        f"the schema {schema.name} at {where} has version {found!r}, made by another "
        f"anarchon; this one works with version {VERSION}"
    )


async def _create(connection: Connection, schema: Schema) -> None:
    if not await in_plain(connection, Query(_IS_THERE, (schema.namespace,))):
        # asked first: without a right to create one, it may have been made by others
        await connection.execute(f"CREATE SCHEMA {schema.name}")
    await connection.execute(schema.script(VERSION))
