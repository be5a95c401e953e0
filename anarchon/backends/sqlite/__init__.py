"""The SQLite backend: one file, for all the processes of one host.

Decides what may be configured. Loads no driver: that is left to ``open``.
"""

import os
import time
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from anarchon.backends.address import need_driver
from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.errors import InvalidOption
from anarchon.protocol import LeaseStore
from anarchon.rules.names import check_namespace


class SqliteBackend:
    """A store in one SQLite file, which all processes of one host may share.

    ``path`` is the file, created when it is missing; its folder must exist. Several
    clusters share a file under different names in ``namespace``: small letters, digits,
    ``_`` and ``-``. ``clock`` is the store's clock, by default the machine's, which all
    the processes share as well.

    Raises:
        InvalidOption: no file, a bad namespace, or aiosqlite isn't installed.
    """

    name = "sqlite"
    leases = True
    needs_asyncio = True
    bridge = None
    remembers = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        namespace: str = "anarchon",
        clock: StoreClock | None = None,
    ) -> None:
        self.path: Path = _checked_path(path)
        self.namespace: str = _checked_namespace(namespace)
        self._read_clock = time.time if clock is None else clock.time
        need_driver("aiosqlite", "sqlite", "SQLite")

    @staticmethod
    def from_url(url: str) -> "SqliteBackend":
        """Return the store of ``sqlite:///relative`` or ``sqlite:////absolute``.

        The path is percent-decoded. The one option is ``?namespace=``.

        Raises:
            InvalidOption: the URL says something else.
        """
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        namespace = options.pop("namespace", "anarchon")
        if parts.netloc or parts.fragment or options:
            raise InvalidOption(
                "a URL of a SQLite store is sqlite:///relative/path or "
                "sqlite:////absolute/path, with ?namespace= if wanted; this one has "
                f"{_beyond(parts, options) or 'a user'}"
            )
        return SqliteBackend(unquote(parts.path[1:]), namespace=namespace)

    def open(self) -> AbstractAsyncContextManager[LeaseStore]:
        """Open the file, set its tables up, yield the live store, and close it.

        Raises:
            BackendUnavailable: the file can't be used.
            BackendTooOld: the SQLite library is, or the tables are newer than this.
        """
        from anarchon.backends.sqlite.store import open_store

        return open_store(self.path, self.namespace, self._now)

    def _now(self) -> int:
        return milliseconds(self._read_clock())

    def __repr__(self) -> str:
        return f"SqliteBackend({str(self.path)!r}, namespace={self.namespace!r})"


def _beyond(parts: SplitResult, options: Iterable[str]) -> str:
    """Return what a URL has, its user aside, that one of a SQLite store hasn't."""
    found = {"host": parts.hostname, "fragment": parts.fragment}
    found["option"] = ", ".join(sorted(options))
    return ", ".join(f"the {what} {text!r}" for what, text in found.items() if text)


def _checked_path(path: str | os.PathLike[str]) -> Path:
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise InvalidOption(
            f"the file of a SQLite store is given by its path, not by {path!r}"
        ) from None
    if text in {"", ":memory:"}:
        raise InvalidOption(
            f"a SQLite store is a file that processes share, not {text!r}; "
            "for a store in memory there is MemoryBackend, memory://"
        )
    return Path(text).absolute()


def _checked_namespace(namespace: str) -> str:
    check_namespace(namespace)
    # table names don't tell small letters from capitals, and some are SQLite's own
    if namespace != namespace.lower() or namespace.partition("_")[0] == "sqlite":
        raise InvalidOption(
            "a namespace in a SQLite file has no capital letters and doesn't start "
            f"with sqlite, as {namespace!r} does"
        )
    return namespace
