"""The environments that other packages run in, apart from that of this project.

Decides where they are and what is in each: one dependency group of ``pyproject.toml``.
They are made when they are first asked for, anew when the group has changed, or by
``python -m benchmarks.peers.environment``.
"""

import subprocess
import sys
import tomllib
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
    complete, wanted = folder / "complete", _wanted(group)
    if not complete.exists() or complete.read_text() != wanted:
        _make(folder, group)
        # one that was left half made must not be taken for whole
        complete.write_text(wanted)
    return folder


def _wanted(group: str) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return "\n".join(project["dependency-groups"][group])


def _make(folder: Path, group: str) -> None:
    python = str(folder / "bin" / "python")
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    _run(python, "-m", "pip", "install", "-q", "-U", "pip")
    _run(python, "-m", "pip", "install", "-q", "--group", group)


def _run(*command: str) -> None:
    subprocess.run(command, cwd=ROOT, check=True, timeout=MADE_WITHIN)  # noqa: S603  # our own


if __name__ == "__main__":
    for name in GROUPS:
        print(python_of(name))
