"""How much was tried: the examples and steps of each machine, told when tests are over.

Decides how they are counted and printed. Must not know any machine. A plugin of pytest:
counts travel with the reports of tests, and so from the processes that share them out.
"""

from collections import Counter
from collections.abc import Generator, Iterator

import pytest

KEY = "tried"

_examples: Counter[str] = Counter()
_steps: Counter[str] = Counter()


def add(name: str, *, examples: int = 0, steps: int = 0) -> None:
    """Count what the present test tried of the machine of this name."""
    _examples[name] += examples
    _steps[name] += steps


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Let a test's report carry what it tried."""
    _examples.clear()
    _steps.clear()
    try:
        return (yield)
    finally:
        for name, count in _examples.items():
            item.user_properties.append((KEY, [name, count, _steps[name]]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each machine."""
    examples: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    for name, count, taken in _told(terminalreporter):
        examples[name] += count
        steps[name] += taken
    if examples:
        terminalreporter.section("what was tried")
    for name in sorted(examples):
        line = f"{name:<44}{examples[name]:>9,} examples{steps[name]:>12,} steps"
        terminalreporter.write_line(line)


def _told(reporter: pytest.TerminalReporter) -> Iterator[tuple[str, int, int]]:
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for key, tried in report.user_properties:
                    if key == KEY:
                        yield tried
