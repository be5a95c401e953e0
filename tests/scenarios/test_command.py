"""The command of the scenarios: what it refuses, and that it leaves nothing behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.pages import ROOT
from tests.scenarios.__main__ import CANNOT_RUN, INTERRUPTED, main
from tests.servers.waits import wait_until

COMMAND = [sys.executable, "-m", "tests.scenarios", "--backend", "sqlite"]
WITHIN = 30.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scenario", "0"], "invalid choice: 0"),
        (["--backend", "mysql"], "invalid choice: 'mysql'"),
        (["--times", "0"], "'0' is no number from 1 on"),
        (["--times", "often"], "'often' is no number from 1 on"),
        (["--report", __file__], "can't be written to"),
        (["--page", "--scenario", "3"], "--page needs all scenarios"),
    ],
)
def test_wrong_option_is_refused_before_any_play(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What can't be done is named at once, with the value, and isn't begun."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert CANNOT_RUN == ended.value.code
    assert said in capsys.readouterr().err


@contextmanager
def frozen_play(folder: Path) -> Generator[tuple[subprocess.Popen[bytes], list[int]]]:
    """Give the command in the middle of a play in which an instance is frozen.

    With it come the numbers of all processes that it started. Its scratch is in the
    folder.
    """
    command = [*COMMAND, "--scenario", "3", "--report", str(folder / "report")]
    scratch = folder / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            started = psutil.Process(process.pid)
            wait_until(lambda: _some_frozen(started), WITHIN, lambda: "none is frozen")
            yield process, [child.pid for child in started.children(recursive=True)]
        finally:
            process.kill()


def _some_frozen(process: psutil.Process) -> bool:
    children = [child.pid for child in process.children(recursive=True)]
    return psutil.STATUS_STOPPED in map(_status, children)


def _status(pid: int) -> str:
    with suppress(psutil.NoSuchProcess):
        return str(psutil.Process(pid).status())
    return psutil.STATUS_ZOMBIE


def _nothing_left(pids: list[int], folder: Path) -> bool:
    gone = {psutil.STATUS_ZOMBIE} >= set(map(_status, pids))
    return gone and not [*(folder / "scratch").iterdir()]


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_command_ends_all_that_it_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl+C and SIGTERM end the plays, and status 130 says so."""
    with frozen_play(tmp_path) as (process, pids):
        process.send_signal(number)
        assert INTERRUPTED == process.wait(WITHIN)
        wait_until(lambda: _nothing_left(pids, tmp_path), WITHIN, lambda: str(pids))


@pytest.mark.processes
def test_killed_command_leaves_nothing_behind(tmp_path: Path) -> None:
    """Not even a frozen instance outlives it, nor its folder."""
    with frozen_play(tmp_path) as (process, pids):
        process.kill()
        wait_until(lambda: _nothing_left(pids, tmp_path), WITHIN, lambda: str(pids))
