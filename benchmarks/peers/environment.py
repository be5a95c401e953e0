"""The environments that other packages run in, apart from that of this project.

Decides where they are and what is in each: one dependency group of ``pyproject.toml``.
They are made when they are first asked for, or by
``python -m benchmarks.peers.environment``.
"""

import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "peers"
MADE_WITHIN = 600.0
GROUPS = ("peers", "peers-apscheduler", "peers-arq")


def python_of(group: str) -> str:
    """Return the interpreter that has the packages of a group."""
    return str(_made(group) / "bin" / "python")


def version_of(group: str, package: str) -> str:
    """Return which version of a package is there."""
    [site] = _made(group).glob("lib/python*/site-packages")
    found = distributions(name=package, path=[str(site)])
    return next(iter(found)).version


def _made(group: str) -> Path:
    folder = HOME / group
    if not _complete(folder).exists():
        _make(folder, group)
    return folder


def _make(folder: Path, group: str) -> None:
    python = str(folder / "bin" / "python")
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    _run(python, "-m", "pip", "install", "-q", "-U", "pip")
    _run(python, "-m", "pip", "install", "-q", "--group", group)
    # one that was left half made must not be taken for whole
    _complete(folder).touch()


def _complete(folder: Path) -> Path:
    return folder / "complete"


def _run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True, timeout=MADE_WITHIN)  # noqa: S603  # our own


if __name__ == "__main__":
    for name in GROUPS:
        print(python_of(name))
