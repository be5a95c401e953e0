"""Where mutants are made and tried: in copies of the project, in a folder of their own.

Decides what is copied, how the tests are run on a copy, and what came of it. Must not
know which mutants there are. The checkout itself is only read.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic

from property_tests.mutants.mutant import Mutant, NoLongerApplies
from property_tests.mutants.suites import Suite

PROJECT = Path(__file__).parents[2]
COPIED = ("anarchon", "property_tests", "tests", "conftest.py", "pyproject.toml")
OPTIONS = (
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "property_tests.mutants.observer",
)
ALL_PASSED, SOME_FAILED = 0, 1


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    STALE = "NO LONGER APPLIES"
    BROKEN = "TESTS DID NOT RUN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The fate, after so many seconds; ``told`` is the test, or else the reason."""

    fate: Fate
    told: str
    seconds: float


class Workshop:
    """Copies below one folder. A copy keeps what is compiled, so it starts at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._whole = folder / "whole"
        self._whole.mkdir()
        for name in COPIED:
            _copy(PROJECT / name, self._whole / name)

    def control(self, suite: Suite, bound: float) -> Verdict:
        """Run the tests on a copy without a fault."""
        return _run(suite, self._whole, self._folder / suite.name, bound)

    def trial(self, mutant: Mutant, suite: Suite, name: str, bound: float) -> Verdict:
        """Run the tests on a copy with a fault; after ``bound`` seconds it is dead."""
        root = self._folder / name
        shutil.copytree(self._whole, root)
        try:
            mutant.apply(root)
            return _run(suite, root, root / "failure", bound)
        except NoLongerApplies as error:
            return Verdict(fate=Fate.STALE, told=str(error), seconds=0.0)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def _run(suite: Suite, root: Path, failure: Path, bound: float) -> Verdict:
    began = monotonic()
    command = [sys.executable, "-m", "pytest", *OPTIONS, f"--first-failure={failure}"]
    try:
        done = subprocess.run(
            [*command, *suite.tests, "-k", suite.keyword],
            cwd=root,
            env=os.environ | {"CI": "true"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=bound,
            check=False,
        )
    except subprocess.TimeoutExpired:
        fate, told = Fate.KILLED, f"not over after {bound:.0f} s"
    else:
        fate, told = _judge(done, failure)
    return Verdict(fate=fate, told=told, seconds=monotonic() - began)


def _judge(done: "subprocess.CompletedProcess[str]", failure: Path) -> tuple[Fate, str]:
    if done.returncode == ALL_PASSED:
        return Fate.SURVIVED, ""
    if done.returncode == SOME_FAILED and failure.exists():
        return Fate.KILLED, failure.read_text("utf-8")
    return Fate.BROKEN, done.stdout[-2_000:]
