"""The tables of one namespace: made once, by whichever instance comes first.

Decides which version of them this code works with. Must not know what they are for.
"""

import sqlite3
from pathlib import Path

from anarchon.backends.sqlite.sql import Tables, code_of
from anarchon.errors import BackendTooOld, BackendUnavailable

VERSION = 1

_CREATE = ("create_jobs", "create_runs", "create_records", "create_order")

# between them these name each column of each table
_READ = ("state", "history")


def set_up(tables: Tables, _: int, path: Path) -> None:
    """Create what is missing; harmless when all of it is there.

    Raises:
        BackendTooOld: a newer anarchon made the tables.
        BackendUnavailable: somebody else made tables of these names.
    """
    try:
        tables.run("create_schema")
        _agree(tables, path)
        for name in _CREATE:
            tables.run(name)
        for name in _READ:
            tables.rows(name, job="", limit=0)
    except sqlite3.OperationalError as error:
        if code_of(error) != sqlite3.SQLITE_ERROR:
            raise
        raise BackendUnavailable(
            f"tables of the SQLite file {path} are somebody else's: {error}"
        ) from error


def _agree(tables: Tables, path: Path) -> None:
    found = [version for (version,) in tables.rows("version")]
    if not found:
        tables.run("set_version", version=VERSION)
    elif found != [VERSION]:
        raise BackendTooOld(
            f"the tables of the SQLite file {path} have version {found[0]!r}, made by "
            f"another anarchon; this one works with version {VERSION}"
        )
