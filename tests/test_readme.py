"""The README's examples, run as a person would run them: real programs, real time."""

import json
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.pages import ROOT, blocks
from tests.programs import free_port, started, stop, wait_for

SCRIPT, SERVICE = blocks(ROOT / "README.md", "python")


@pytest.mark.parametrize("loop", ["trio", "asyncio"])
def test_script_runs_its_job_and_stops(loop: str, tmp_path: Path) -> None:
    """The first example runs a job soon after its start, and ends well on SIGTERM."""
    (tmp_path / "app.py").write_text(on_loop(loop))
    with started("app.py", folder=tmp_path) as process:
        wait_for(process, "attempt 1")
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
