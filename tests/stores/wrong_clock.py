"""Wrong wall clocks for instances, and the true time by which they are judged."""

import subprocess
import time

from tests.processes.journal import Line
from tests.servers.programs import from_debian


def clock_off_by(seconds: float) -> dict[str, str]:
    """Return the environment of a process whose wall clock is that far ahead.

    It is what the command would set for a child, which it would stand in front of: a
    signal must reach the instance itself.
    """
    command = str(from_debian("a wrong clock", "faketime", "faketime"))
    library = _run(command, "-f", "+0s", "printenv", "LD_PRELOAD")
    return {
        "LD_PRELOAD": library,
        "FAKETIME": f"{seconds:+}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def true_time(line: Line) -> float:
    """Return when a line was written, by this process's wall clock."""
    return time.time() - (time.monotonic() - line.monotonic)


def _run(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()
