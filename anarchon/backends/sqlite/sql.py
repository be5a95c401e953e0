"""The SQL of the store, from the files beside this one, and how it is called.

Decides how statements are named and where the namespace goes. Must not know what they
are for.
"""

import re
import sqlite3
from collections.abc import Mapping
from importlib.resources import files

Value = str | int | float | bytes | None
Row = tuple[Value, ...]

_NAMED = re.compile(r"^(?=-- (\w+): )", re.MULTILINE)


def _read(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text("utf-8")


_TEXT = _read("schema.sql") + _read("steps.sql")


def statements(namespace: str) -> dict[str, str]:
    """Return all statements by name, for the tables of one namespace."""
    parts = _NAMED.split(_TEXT.replace("{namespace}", namespace))[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def code_of(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error; 0 if it isn't SQLite's own."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


class Tables:
    """The tables of one namespace, through one connection, by named statements."""

    __slots__ = ("_connection", "_statements")

    def __init__(
        self, connection: sqlite3.Connection, statements: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._statements = statements

    def rows(self, name: str, **values: Value) -> list[Row]:
        """Run a statement and return all its rows."""
        return self._connection.execute(self._statements[name], values).fetchall()

    def run(self, name: str, **values: Value) -> None:
        """Run a statement that returns nothing."""
        self._connection.execute(self._statements[name], values)
