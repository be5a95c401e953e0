"""``anarchon demo`` as a person runs it: real processes, real time, a whole show."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

import psutil
import pytest

pytestmark = pytest.mark.processes

LOOPS = ["trio", "asyncio"]
PIPE = subprocess.PIPE
CUT_SHORT = (
    "import sys, anarchon.cli.demo as demo; demo.LONGEST = 1.0;"
    "sys.exit(demo.run(sys.argv[1], plain=True))"
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose temporary files are in a folder of the test."""
    return {**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color"}


def demo(loop: str) -> list[str]:
    """Return the command."""
    return [sys.executable, "-m", "anarchon.cli", "demo", "--loop", loop]


@contextlib.contextmanager
def started(
    loop: str, environment: dict[str, str], stdout: int = PIPE
) -> Generator[subprocess.Popen[str]]:
    """Start a demo, to be read as it goes on; kill it when the block is left."""
    with subprocess.Popen(
        demo(loop), env=environment, stdout=stdout, stderr=PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def instances(process: subprocess.Popen[str], output: IO[str]) -> list[psutil.Process]:
    """Read until all three instances are ready, and return their processes."""
    ready = 0
    while ready < 3:
        line = output.readline()
        assert line
        ready += "is ready" in line
    return psutil.Process(process.pid).children()


def assert_gone(processes: list[psutil.Process], folder: Path) -> None:
    """Check that processes and files are gone, or soon will be."""
    _, alive = psutil.wait_procs(processes, timeout=5)
    assert [] == alive
    assert [] == list(folder.iterdir())


@pytest.mark.timeout(60)
@pytest.mark.parametrize("loop", LOOPS)
def test_demo_keeps_its_promises(
    loop: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """In under 45 s a run is taken over and one handed over, and the demo says so."""
    begin = time.monotonic()
    done = subprocess.run(
        demo(loop), env=environment, capture_output=True, text=True, check=False
    )
    assert 45 > time.monotonic() - begin
    assert (0, "") == (done.returncode, done.stderr), done.stdout
    assert 6 == done.stdout.count("  kept  ")
    for text in (
        f"three processes on {loop}",
        "is killed (SIGKILL) with report at ",
        "runs report again, attempt 2, ",
        "is asked to stop (SIGTERM) with report at ",
        "interrupted, handed over",
    ):
        assert text in done.stdout
    assert "\x1b" not in done.stdout
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("loop", LOOPS)
def test_demo_that_is_cut_short_has_broken_its_promises(
    loop: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """A show that doesn't come to its end has status 1 and says what it waited for."""
    command = [sys.executable, "-c", CUT_SHORT, loop]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert (1, "") == (done.returncode, done.stderr)
    assert "after 1 s still waiting for " in done.stdout
    assert "BROKEN  A killed runner's run is taken over\n" in done.stdout
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("loop", LOOPS)
def test_signal_ends_the_demo_and_its_processes(
    loop: str, number: signal.Signals, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Ctrl+C and its like leave no process, no file, and no error message."""
    with started(loop, environment) as process:
        assert process.stdout is not None
        children = instances(process, process.stdout)
        assert 3 == len(children)
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
    assert (128 + number, "") == (process.returncode, errors)
    assert_gone(children, tmp_path)


@pytest.mark.parametrize("loop", LOOPS)
def test_killed_demo_leaves_nothing(
    loop: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """When the demo itself is killed, its processes notice, end, and clean up."""
    with started(loop, environment) as process:
        assert process.stdout is not None
        children = instances(process, process.stdout)
        process.kill()
    assert_gone(children, tmp_path)


def test_demo_ends_when_nobody_reads(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """A pipe that is closed ends the demo like any other command, and quietly."""
    with started("asyncio", environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        children = instances(process, process.stdout)
        process.stdout.close()
        assert "" == process.stderr.read()
        assert 128 + signal.SIGPIPE == process.wait(timeout=10)
    assert_gone(children, tmp_path)


def parts_of(terminal: int) -> Iterator[str]:
    """Yield what is written to a terminal, as it comes, until its other end closes."""
    with contextlib.suppress(OSError):
        while written := os.read(terminal, 65_536):
            yield written.decode(errors="replace")


def test_terminal_is_left_as_it_was(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """On a terminal lanes are drawn in place; interrupted, the cursor is back."""
    ours, theirs = pty.openpty()
    with started("trio", environment, stdout=theirs) as process:
        os.close(theirs)
        parts, seen = parts_of(ours), ""
        while "is ready" not in seen:
            seen += next(parts)
        process.send_signal(signal.SIGINT)
        seen += "".join(parts)
        assert 128 + signal.SIGINT == process.wait(timeout=10)
    os.close(ours)
    assert "┄" in seen
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")
    assert [] == list(tmp_path.iterdir())
