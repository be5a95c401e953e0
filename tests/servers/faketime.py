"""A process whose wall clock is wrong.

Decides that only wall time is shifted: what is measured on the monotonic clock, every
sleep and every timeout, stays as it is. All but ``time.sleep``, which fails there: the
library of Debian 12 gets its absolute deadline wrong.
"""

from pathlib import Path

import pytest

LIBRARY = "*/faketime/libfaketime.so.1"


def clock_off_by(seconds: float) -> dict[str, str]:
    """Return what the environment of a process has whose clock is that far ahead.

    It is what Debian's command of that name would set for a child, which it would stand
    in front of: a signal must reach the process itself.
    """
    library = next(Path("/usr/lib").glob(LIBRARY), None)
    if library is None:
        pytest.skip("a wrong clock needs Debian's package: apt-get install faketime")
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME": f"{seconds:+}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
