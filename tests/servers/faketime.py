"""A process whose wall clock is wrong.

Decides that only wall time is shifted: what is measured on the monotonic clock, every
sleep and every timeout, stays as it is. All but ``time.sleep``, which fails there: the
library of Debian 12 gets its absolute deadline wrong.
"""

import subprocess

from tests.servers.programs import from_debian


def clock_off_by(seconds: float) -> dict[str, str]:
    """Return what the environment of a process has whose clock is that far ahead.

    It is what the command would set for a child, which it would stand in front of: a
    signal must reach the process itself.
    """
    command = str(from_debian("a wrong clock", "faketime", "faketime"))
    library = _run(command, "-f", "+0s", "printenv", "LD_PRELOAD")
    return {
        "LD_PRELOAD": library,
        "FAKETIME": f"{seconds:+}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def _run(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()
