"""Running Python programs in a folder of their own: start, read, stop, kill."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def started(*command: str, folder: Path) -> Generator[subprocess.Popen[str]]:
    """Run a Python program in a folder; kill it when the block is left."""
    process = subprocess.Popen(
        [sys.executable, "-u", *command],
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], *texts: str) -> None:
    """Read the program's output until all of these texts have appeared."""
    assert process.stdout is not None
    seen = ""
    for line in process.stdout:
        seen += line
        if all(text in seen for text in texts):
            return
    pytest.fail(f"not all of {texts} appeared in:\n{seen}")


def stop(process: subprocess.Popen[str]) -> str:
    """Ask the program to end, and return the rest of its output."""
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    return output


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
