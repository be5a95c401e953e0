"""The leash: no server outlives the process that started it, however that one ends.

A small process hears what is held, through a pipe that only the holder has the other
end of. Once that end is closed it kills what is still held and removes the folders.
"""

import atexit
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from tests.pages import ROOT
from tests.servers.trees import kill_tree

ENDS_WITHIN = 30.0


class Leash:
    """Holds processes and folders on behalf of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keeper: subprocess.Popen[str] | None = None

    def hold_process(self, pid: int) -> None:
        """Kill this process and its children if they are there at the end."""
        self._say(f"process {pid} {psutil.Process(pid).create_time()}")

    def hold_folder(self, folder: Path) -> None:
        """Remove this folder if it is there at the end."""
        self._say(f"folder {folder}")

    def _say(self, line: str) -> None:
        with self._lock:
            pipe = self._pipe()
            pipe.write(line + "\n")
            pipe.flush()

    def _pipe(self) -> IO[str]:
        if self._keeper is None:
            self._keeper = _start_keeper()
            atexit.register(self._end)
        assert self._keeper.stdin is not None
        return self._keeper.stdin

    def _end(self) -> None:
        assert self._keeper is not None
        self._keeper.communicate(timeout=ENDS_WITHIN)


LEASH = Leash()


def _start_keeper() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.servers.leash"]
    # Ctrl+C is meant for the tests, which end the servers in good order
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, text=True, start_new_session=True
    )


def keep() -> None:
    """Hear what is held until nobody is left to tell, and clear that away."""
    held = [line.rstrip("\n").split(" ", 1) for line in sys.stdin]
    for kind, what in reversed(held):
        if kind == "process":
            pid, created = what.split()
            _end_process(int(pid), float(created))
        else:
            shutil.rmtree(what, ignore_errors=True)


def _end_process(pid: int, created: float) -> None:
    # the number may be another process's by now
    with suppress(psutil.NoSuchProcess, TimeoutError):
        if psutil.Process(pid).create_time() == created:
            kill_tree(pid)


if __name__ == "__main__":
    keep()
