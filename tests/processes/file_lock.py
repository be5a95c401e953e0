"""Whether somebody holds the lock of a store's file.

Decides how that is found out. Must not know who may hold it.
"""

import sqlite3
from contextlib import closing
from urllib.parse import urlsplit

# s; what is written takes a few ms
WRITTEN_WITHIN = 0.3


def is_locked(store: str) -> bool:
    """Return whether nobody can write to the store with this URL; servers have none."""
    url = urlsplit(store)
    if url.scheme != "sqlite":
        return False
    file = url.path.removeprefix("/")
    with closing(sqlite3.connect(file, WRITTEN_WITHIN, isolation_level=None)) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
    return False
