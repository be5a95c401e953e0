"""Several processes on one SQLite file, all from its very first moment."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.backends.sqlite_contender import SLOTS

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

PROCESSES = 8

CONTENDER = Path(__file__).with_name("sqlite_contender.py")


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_each_slot_has_one_winner(tmp_path: Path, loop: str) -> None:
    """Eight processes set the file up at once; none fails, none starves."""
    command = [sys.executable, str(CONTENDER), str(tmp_path / "jobs.db")]
    processes = [_started([*command, f"p{me}", loop]) for me in range(PROCESSES)]
    for process in processes:
        _tell(process)
    outputs = [process.communicate(timeout=50)[0] for process in processes]
    assert [0] * PROCESSES == [process.returncode for process in processes]
    reports = [json.loads(output) for output in outputs]
    winners = Counter(slot for report in reports for slot in report["won"])
    assert Counter(range(SLOTS)) == winners
    assert [SLOTS] * PROCESSES == [report["own"] for report in reports]
    longest = max(report["longest"] for report in reports)
    print(f"longest wait for a claim among {PROCESSES} processes: {longest:.3f} s")
    assert longest < 2


def _started(command: list[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert "ready\n" == process.stdout.readline()
    return process


def _tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


LEFT_OPEN = """
import anyio
from anarchon.backends.sqlite import SqliteBackend
from anarchon.testing.conformance.probe import linked

async def main():
    link = linked(SqliteBackend({path!r}))
    await link.__aenter__()
    raise SystemExit(3)

anyio.run(main, backend={loop!r})
"""


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
def test_store_that_was_left_open_keeps_no_process_alive(
    tmp_path: Path, loop: str
) -> None:
    """A host that ends without closing its store ends all the same."""
    script = LEFT_OPEN.format(path=str(tmp_path / "jobs.db"), loop=loop)
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=20, check=False
    )
    assert 3 == ended.returncode
