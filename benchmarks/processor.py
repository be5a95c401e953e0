"""How long processes were on a processor, by the system's own account.

Decides that children count, and that no tick of a clock is the unit. Must not know what
the processes are.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

NANO = 1e-9

# seconds of each thread that is there, by the file that tells them
Spent = Mapping[str, float]


def on_processor(pids: Iterable[int]) -> Spent:
    """Return the seconds of all threads of processes, and of all their children."""
    spent: dict[str, float] = {}
    for first in map(psutil.Process, pids):
        for process in (first, *first.children(recursive=True)):
            for file in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
                # threads may end meanwhile
                with suppress(FileNotFoundError, ProcessLookupError):
                    spent[str(file)] = int(file.read_text().split()[0]) * NANO
    return spent


def seconds_since(before: Spent, after: Spent) -> float:
    """Return the seconds that were spent meanwhile by whoever is still there."""
    return sum(after[thread] - before.get(thread, 0.0) for thread in after)
