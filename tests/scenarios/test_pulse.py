"""A machine that stands still is noticed, so that nothing is judged by its times."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.pages import ROOT

PROGRAM = """
from tests.scenarios.pulse import Pulse
with Pulse() as pulse:
    print("beats", flush=True)
    input()
print(pulse.longest)
"""
STILL = 0.5


@pytest.mark.processes
def test_pulse_tells_for_how_long_nothing_ran() -> None:
    """A process that is frozen knows on waking for how long it was."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert "beats\n" == process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        time.sleep(STILL)
        process.send_signal(signal.SIGCONT)
        told, _ = process.communicate("\n")
    # it may have beaten just before
    assert float(told) > STILL / 2
