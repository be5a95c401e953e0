"""The page about the scheduler is true: its endpoints and its script work."""

import json
import re
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from anarchon import Scheduler
from tests.pages import ROOT, blocks
from tests.programs import free_port, started, stop, wait_for

PAGE = ROOT / "docs" / "scheduler.md"
PROGRAM, _, ENDPOINTS, SCRIPT = blocks(PAGE, "python")
SERVICE = blocks(ROOT / "README.md", "python")[1]


def test_the_table_has_all_that_a_scheduler_can_do() -> None:
    """Every public name of the object has its row, and there is no other."""
    section = PAGE.read_text().partition("## Methods")[2].partition("\n## ")[0]
    table = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    named = set(re.findall(r"`(?:await )?(\w+)", " ".join(table)))
    assert {name for name in dir(Scheduler) if not name.startswith("_")} == named


def test_the_script_shows_what_other_programs_have_run(tmp_path: Path) -> None:
    """It reads the history of jobs that it doesn't have, and runs none of them."""
    (tmp_path / "app.py").write_text(f"{PROGRAM}\n\nanyio.run(main)\n")
    (tmp_path / "show.py").write_text(SCRIPT)
    with started("app.py", folder=tmp_path) as process:
        wait_for(process, "attempt 1")
        stop(process)
    with started("show.py", "sync", folder=tmp_path) as process:
        wait_for(process, "success")
        process.communicate(timeout=10)
        assert 0 == process.returncode


def test_the_endpoints_start_a_run_and_tell_of_it(tmp_path: Path) -> None:
    """With the service of the README: one more run, and who ran each job last."""
    include = "\n\nfrom endpoints import router\napp.include_router(router)\n"
    (tmp_path / "service.py").write_text(SERVICE + include)
    (tmp_path / "endpoints.py").write_text(ENDPOINTS)
    address = f"http://127.0.0.1:{(port := free_port())}"
    serve = ["-m", "uvicorn", "service:app", "--port", str(port)]
    with started(*serve, folder=tmp_path) as process:
        wait_for(process, "Uvicorn running")
        with urlopen(Request(f"{address}/jobs/sync/runs", method="POST")) as answer:
            assert 202 == answer.status
        with pytest.raises(HTTPError, match="404"):
            urlopen(Request(f"{address}/jobs/nope/runs", method="POST"))
        wait_for(process, "attempt 1")
        wait_for_reason(f"{address}/jobs/sync/runs", "manual")
        last = read(f"{address}/jobs")
        assert isinstance(last, dict)
        assert {"sync"} == {record["job"] for record in last.values()}
        stop(process)


def wait_for_reason(address: str, reason: str) -> None:
    """Ask for a history until it has a run that was started for this reason."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        records = read(address)
        assert isinstance(records, list)
        if reason in {record["reason"] for record in records}:
            return
        time.sleep(0.05)
    pytest.fail(f"no {reason} run after 10 s")


def read(address: str) -> object:
    """Return what an endpoint answers."""
    with urlopen(address) as answer:
        content: object = json.load(answer)
        return content
