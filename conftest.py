"""What holds for every test: under CI nothing is skipped and nothing is random.

Decides how much Hypothesis tries, by profile: ``quick`` unless ``long`` is asked for.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

CI = os.environ.get("CI", "") not in {"", "0", "false"}

pytest_plugins = ["property_tests.tally"]

settings.register_profile("quick", deadline=None, derandomize=CI, print_blob=CI)
settings.register_profile("long", deadline=None, print_blob=True, max_examples=500)
settings.load_profile("quick")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Turn a skipped test into a failed one."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Turn a skipped file into a failed one."""
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped under CI: {report.longreprtext}"
