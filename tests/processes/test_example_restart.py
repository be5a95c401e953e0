"""The README's example is killed in the middle of a run, and started again."""

import re
import time
from pathlib import Path

import pytest

from anarchon.model import Reason, Status
from tests.pages import ROOT, blocks
from tests.processes.history import read_history
from tests.programs import started, stop, wait_for

pytestmark = [pytest.mark.processes, pytest.mark.timeout(60)]

EXAMPLE, _ = blocks(ROOT / "README.md", "python")
AGO = 60
OUTAGE = 2.5
OPTIONS = "lease=1.5, heartbeat=0.25, jitter=0"
CATCH_UP, TAKEOVER = Reason.CATCH_UP, Reason.TAKEOVER


@pytest.mark.parametrize("loop", ["trio", "asyncio"])
def test_example_catches_up_and_recovers(loop: str, tmp_path: Path) -> None:
    """What was cut off is done again, and of what was missed the latest is done."""
    example = with_short_waits(EXAMPLE, loop)
    (tmp_path / "hanging.py").write_text(with_endless_runs(example))
    (tmp_path / "app.py").write_text(example)
    with started("hanging.py", folder=tmp_path) as process:
        wait_for(process, "attempt 1", "good morning")
    down = time.time()
    time.sleep(OUTAGE)
    up = time.time()
    with started("app.py", folder=tmp_path) as process:
        wait_for(process, "attempt 2", "good morning")
        stop(process)
        assert 0 == process.returncode

    store = f"sqlite:///{tmp_path / 'jobs.db'}"
    assert [
        (1, Status.INTERRUPTED, CATCH_UP),
        (2, Status.SUCCESS, TAKEOVER),
    ] == [(r.attempt, r.status, r.reason) for r in read_history(store, "sync")]
    digests = read_history(store, "digest")
    first = next(r for r in digests if r.started_at.timestamp() > up)
    assert (CATCH_UP, Status.SUCCESS) == (first.reason, first.status)
    assert up - first.slot / 1000 < 1
    assert [] == [r for r in digests if down < r.slot / 1000 < first.slot / 1000]


def with_short_waits(text: str, loop: str) -> str:
    """Shorten the lease, and let ``sync`` be rare, ``digest`` frequent.

    The last slot of ``sync`` was a minute ago, so the example begins by catching up.
    """
    offset = (int(time.time()) - AGO) % 3_600
    changes = {
        '"sqlite:///jobs.db"': f'"sqlite:///jobs.db", {OPTIONS}',
        '"10s"': '"1h"',
        "timeout=60": f"timeout=60, offset={offset}",
        '"0 8 * * 1-5"': '"* * * * * *"',
        'backend="trio"': f'backend="{loop}"',
    }
    for old, new in changes.items():
        assert 1 == text.count(old), old
        text = text.replace(old, new)
    return text


def with_endless_runs(text: str) -> str:
    """Let the handler of ``sync`` hang after it has said that it runs."""
    text, changed = re.subn(r"( +print\(f.*)", r"\1\n    await anyio.sleep(60)", text)
    assert 1 == changed
    return text
