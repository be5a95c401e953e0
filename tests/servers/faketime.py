"""Running a Python program whose wall clock is wrong.

Decides that only wall time is shifted: what is measured on the monotonic clock, every
sleep and every timeout, stays as it is. All but ``time.sleep``, which fails there: the
command of Debian 12 gets its absolute deadline wrong.
"""

import os
import sys

from tests.servers.programs import from_debian


def python_shifted(seconds: float) -> list[str]:
    """Return how a command begins that runs Python with its clock that far ahead."""
    faketime = from_debian("a wrong clock", "faketime", "faketime")
    return [str(faketime), "-f", f"{seconds:+}s", sys.executable]


def environment_shifted() -> dict[str, str]:
    """Return the environment that such a command needs."""
    return {**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
