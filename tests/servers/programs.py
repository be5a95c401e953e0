"""Finding the programs of the servers, and asking them for their version.

A program that isn't there skips the test that needs it, and says how to get it.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

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


def from_wheel(name: str, package: str, pattern: str) -> Path:
    """Return a program inside an installed Python package, or say how to get it."""
    spec = importlib.util.find_spec(package)
    folders = (spec and spec.submodule_search_locations) or ()
    found = [path for folder in folders for path in Path(folder).glob(pattern)]
    if not found:
        _skip_without_wheel(name)
    return found[0]


def from_scripts(name: str, program: str) -> Path:
    """Return a program that a wheel put beside the interpreter."""
    found = Path(sys.executable).parent / program
    if not found.exists():
        _skip_without_wheel(name)
    return found


def version_of(program: Path, options: Sequence[str] = ("--version",)) -> str:
    """Return the version that the program says it is."""
    done = subprocess.run(
        [program, *options], check=True, capture_output=True, text=True
    )
    found = _VERSION.search(done.stdout + done.stderr)
    assert found is not None, f"no version in {done.stdout!r}"
    return found[0]


def _skip_without_wheel(name: str) -> NoReturn:
    pytest.skip(f"{name} needs the group of servers: pip install --group dev")
