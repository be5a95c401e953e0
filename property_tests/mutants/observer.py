"""What a run of the tests tells of itself: a plugin of pytest, in a mutant's process.

Decides that the copy is what is tested, and that a failing example is not made smaller:
that it fails is all that is asked. Must not know which fault is in the copy.
"""

from pathlib import Path

import pytest
from hypothesis import Phase, settings

import anarchon

PHASES = (Phase.explicit, Phase.generate)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the file into which the first test that fails is written."""
    parser.addoption("--first-failure")


def pytest_configure(config: pytest.Config) -> None:
    """Take care of the right package, and write nothing but failures."""
    assert Path(anarchon.__file__).is_relative_to(config.rootpath), anarchon.__file__
    config.pluginmanager.register(
        _Failures(Path(str(config.getoption("--first-failure"))))
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    """Let the profile that was chosen do without shrinking."""
    settings.register_profile("unshrunk", settings(), phases=PHASES)
    settings.load_profile("unshrunk")


class _Failures:
    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._file.exists():
            self._file.write_text(report.nodeid, "utf-8")
