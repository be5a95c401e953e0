"""Finding the programs of the servers, and asking them for their version.

A program that isn't there skips the test that needs it, and says how to get it.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

# where Debian keeps servers, and a person's PATH often doesn't lead
SYSTEM = "/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin"
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")


def from_debian(name: str, program: str, package: str) -> Path:
    """Return a program of the system, or say which package has it."""
    found = shutil.which(program, path=SYSTEM)
    if found is None:
        pytest.skip(f"{name} needs Debian's package: apt-get install {package}")
    return Path(found)


def from_wheel(name: str, package: str, program: str) -> Path:
    """Return a program of an installed Python package, or say how to get that."""
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.match(program)]
    if not found:
        pytest.skip(f"{name} needs the group of servers: pip install --group dev")
    return found[0].resolve()


def version_of(program: Path, options: Sequence[str] = ("--version",)) -> str:
    """Return the version that the program says it is."""
    done = subprocess.run(
        [program, *options], check=True, capture_output=True, text=True
    )
    found = _VERSION.search(done.stdout + done.stderr)
    assert found is not None, f"no version in {done.stdout!r}"
    return found[0]
