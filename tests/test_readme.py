"""The README's examples, run as a person would run them: real programs, real time."""

import json
import re
import socket
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.pages import ROOT, blocks
from tests.programs import started, stop, wait_for

SCRIPT, SERVICE = blocks(ROOT / "README.md", "python")


@pytest.mark.parametrize("loop", ["trio", "asyncio"])
def test_script_runs_its_job_and_stops(loop: str, tmp_path: Path) -> None:
    """The first example runs a job soon after its start, and ends well on SIGTERM."""
    (tmp_path / "app.py").write_text(on_loop(loop))
    with started("app.py", folder=tmp_path) as process:
        wait_for(process, "attempt 1")
        stop(process)
        assert 0 == process.returncode


@pytest.mark.processes
@pytest.mark.parametrize("loop", ["trio", "asyncio"])
def test_script_catches_up_and_recovers(loop: str, tmp_path: Path) -> None:
    """Killed in the middle of a caught-up run, it finishes that run when restarted."""
    app = with_rare_slots(on_loop(loop))
    (tmp_path / "app.py").write_text(app)
    (tmp_path / "hanging.py").write_text(with_endless_runs(app))
    with started("hanging.py", folder=tmp_path) as process:
        wait_for(process, "attempt 1")
    with started("app.py", folder=tmp_path) as process:
        wait_for(process, "attempt 2")
        stop(process)
        assert 0 == process.returncode


def test_service_runs_its_job_and_tells_its_history(tmp_path: Path) -> None:
    """Under a real server the second example runs a job, answers, and ends well."""
    (tmp_path / "service.py").write_text(SERVICE)
    port = free_port()
    serve = ["-m", "uvicorn", "service:app", "--port", str(port)]
    with started(*serve, folder=tmp_path) as process:
        wait_for(process, "Uvicorn running", "attempt 1")
        with urlopen(f"http://127.0.0.1:{port}/jobs/sync/runs") as answer:
            *_, first = json.load(answer)
        assert ("sync", 1) == (first["job"], first["attempt"])
        assert "Application shutdown complete" in stop(process)


def on_loop(loop: str) -> str:
    """Return the first example for one of the loops."""
    return SCRIPT.replace('backend="trio"', f'backend="{loop}"')


def with_rare_slots(text: str) -> str:
    """Shorten the lease, and keep newer slots from coming between."""
    url = '"sqlite:///jobs.db"'
    options = 'lease=1.5, heartbeat=0.5, jitter=0.1, catch_up="2h"'
    return text.replace('"10s"', '"1h"').replace(url, f"{url}, {options}")


def with_endless_runs(text: str) -> str:
    """Make the handler hang after it has said that it runs."""
    return re.sub(r"( +print\(f.*)", r"\1\n    await anyio.sleep(60)", text)


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
