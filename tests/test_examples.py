"""The examples of the docs, each run by what it is for: as a program, or by pytest."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, blocks
from tests.programs import started, stop, wait_for

EXAMPLES = {
    f"{page.stem}-{number}": text
    for page in sorted((ROOT / "docs").glob("*.md"))
    for number, text in enumerate(blocks(page, "python"), 1)
}
PROGRAMS = {
    name: text
    for name, text in EXAMPLES.items()
    # those of the page on backends need a server, and have a test of their own
    if "def main()" in text and not name.startswith("backends-")
}
# the store of the reader's own package, which the docs speak of
OWN_STORE = """
from anarchon import MemoryBackend


class MyBackend(MemoryBackend):
    def __init__(self, url, **options):
        super().__init__(**options)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder where the reader's own package is."""
    (tmp_path / "mypackage").mkdir()
    (tmp_path / "mypackage" / "anarchon.py").write_text(OWN_STORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_example_loads(text: str, folder: Path) -> None:
    """Every example is a whole module, which can be imported as it stands."""
    (folder / "example.py").write_text(text)
    assert runpy.run_path("example.py")


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_example_runs_its_job(text: str, folder: Path) -> None:
    """A program of the docs runs a job soon after its start, and ends on SIGTERM."""
    (folder / "app.py").write_text(f"{text}\n\nimport anyio\nanyio.run(main)\n")
    with started("app.py", folder=folder) as process:
        wait_for(process, "attempt 1")
        stop(process)
        assert 0 == process.returncode


def test_examples_of_tests_pass(folder: Path) -> None:
    """What the docs on testing show is green when pytest runs it, on both loops."""
    one_run, loops, cluster, _, store = blocks(ROOT / "docs" / "testing.md", "python")
    (folder / "conftest.py").write_text(loops)
    (folder / "test_one_run.py").write_text(one_run)
    (folder / "test_cluster.py").write_text(cluster)
    (folder / "test_store.py").write_text(store)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout
