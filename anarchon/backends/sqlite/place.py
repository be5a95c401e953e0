"""Whether the file is still where it was opened.

Decides that by its number in the file system. Must not know SQLite.

A file that is removed or replaced goes on for whoever has it open, while whoever comes
later opens another one: two clusters, and each would run every slot.
"""

import os
from pathlib import Path

from anarchon.errors import BackendUnavailable


class Place:
    """Where an open file was found; make it once the file is there."""

    __slots__ = ("_number", "_path")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = _number(path)

    def check(self) -> None:
        """Refuse to go on with a file that nobody else can open any more.

        Raises:
            BackendUnavailable: the file was removed, or replaced by another one.
        """
        if _number(self._path) != self._number:
            raise BackendUnavailable(
                f"the SQLite file {self._path} was removed or replaced while it was "
                "open; put it back, or start anew with what is there"
            )


def _number(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  half the cost of Path's
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
