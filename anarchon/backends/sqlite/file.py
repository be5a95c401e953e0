"""The file: how it is opened, and what can be wrong with it.

Decides the settings of a connection and the words for what fails. Must not know the
tables.
"""

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from anarchon.backends.sqlite.connection import Caller, patiently
from anarchon.backends.sqlite.sql import code_of
from anarchon.errors import BackendTooOld, BackendUnavailable

OLDEST = (3, 37, 0)


def check_version(found: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Refuse a SQLite library that has no strict tables.

    Raises:
        BackendTooOld: with the version that was found and the one that is needed.
    """
    if found < OLDEST:
        raise BackendTooOld(
            f"SQLite {_dotted(found)} is too old: {_dotted(OLDEST)} or newer is needed"
        )


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, in the thread that is going to use it."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        _configure(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def unavailable(path: Path) -> Generator[None]:
    """Turn what SQLite says of the file into a ``BackendUnavailable`` that names it."""
    try:
        yield
    except sqlite3.Error as error:
        raise BackendUnavailable(
            f"the SQLite file {path} can't be used: {_reason(path, error)}"
        ) from error


def _configure(connection: sqlite3.Connection, path: Path) -> None:
    # one row with garbage in a text must not make all the others unreadable
    connection.text_factory = _decoded
    wal = patiently(Caller(), lambda: _journal_mode(connection))
    if wal != "wal":
        raise BackendUnavailable(
            f"the SQLite file {path} can't be used: its journal mode stays {wal!r}, "
            f"and without WAL its readers and writers block each other"
        )
    # a claim that was granted must outlive a power cut
    connection.execute("PRAGMA synchronous = FULL")


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _journal_mode(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])


def _reason(path: Path, error: sqlite3.Error) -> str:
    # unlike those of Path, these functions don't raise
    if os.path.isdir(path):  # noqa: PTH112
        return "it is a folder"
    if not os.path.isdir(path.parent):  # noqa: PTH112
        return f"there is no folder {path.parent} that can be entered"
    if code_of(error) in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        return f"{error} (writing takes a right to the file and one to its folder)"
    return str(error)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
