"""A Python program with a wrong clock."""

import os
import subprocess
import sys
import time

import pytest

from tests.servers.faketime import clock_off_by

LOOKS_AT_ITS_CLOCKS = """\
import threading, time, anyio

begin = time.monotonic()
for loop in ("asyncio", "trio"):
    anyio.run(anyio.sleep, 0.1, backend=loop)
threading.Event().wait(0.1)
print(time.time(), time.monotonic() - begin)
"""


@pytest.mark.servers
@pytest.mark.parametrize("shift", [300, -300])
def test_only_the_wall_clock_is_wrong(shift: int) -> None:
    """Sleeps and timeouts of a process with a wrong clock take their time."""
    done = subprocess.run(
        [sys.executable, "-c", LOOKS_AT_ITS_CLOCKS],
        env={**os.environ, **clock_off_by(shift)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    wall, passed = map(float, done.stdout.split())
    assert pytest.approx(shift, abs=10) == wall - time.time()
    assert 0.3 <= passed < 10
