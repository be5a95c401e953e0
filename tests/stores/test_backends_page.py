"""The page on choosing a backend: its programs run, on a real server, on both loops."""

from pathlib import Path

import pytest

from tests.pages import ROOT, blocks
from tests.programs import started, stop, wait_for
from tests.servers.fleet import Fleet

PAGE = ROOT / "docs" / "backends.md"
PROGRAMS = [text for text in blocks(PAGE, "python") if "def main()" in text]
LOCALHOST = "redis://localhost"


@pytest.mark.parametrize("loop", ["asyncio", "trio"])
@pytest.mark.parametrize("text", PROGRAMS, ids=["client", "bridge"])
def test_program_of_the_page_runs_its_job(
    text: str, loop: str, fleet: Fleet, tmp_path: Path
) -> None:
    """A program runs a job soon after its start, and ends on SIGTERM."""
    assert LOCALHOST in text
    program = text.replace(LOCALHOST, fleet["redis8"].url)
    (tmp_path / "app.py").write_text(
        f"{program}\n\nanyio.run(main, backend={loop!r})\n"
    )
    with started("app.py", folder=tmp_path) as process:
        if loop == "trio" and "open_bridge" not in text:
            wait_for(process, "a client for RedisBackend comes with the bridge")
            return
        wait_for(process, "attempt 1")
        stop(process)
        assert 0 == process.returncode
