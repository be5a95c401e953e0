"""The lines between an instance's process and whoever started it."""

import pytest

from anarchon.cli.report import Kind, Report
from anarchon.cli.setup import Setup, Work


def test_report_survives_its_line() -> None:
    """What one end reports is what the other end reads, in one line."""
    report = Report(
        instance_id="A",
        at=1.5,
        kind=Kind.TAKEOVER,
        job="naïve\njob",
        slot=4_000,
        attempt=2,
        from_instance="B",
    )
    line = report.to_line()
    assert "\n" not in line
    assert report == Report.from_line(line.encode())


@pytest.mark.parametrize(
    "line",
    [
        b"Traceback (most recent call last):",
        b"",
        b"\xff",
        b"7",
        b"[]",
        b"{}",
        b'{"kind": "start"}',
        b'{"kind": "boredom", "instance_id": "A", "at": 1}',
        b'{"kind": "start", "instance_id": "A", "at": 1, "more": 2}',
    ],
)
def test_other_lines_are_no_reports(line: bytes) -> None:
    """Whatever else a process prints is told apart, and never an error."""
    assert Report.from_line(line) is None


def test_setup_survives_its_text() -> None:
    """What an instance is started with is what it reads."""
    works = (
        Work(job="sync", every=0.5, takes=0.1),
        Work(job="report", every=8, takes=3, offset=2.0, jitter=0.25),
    )
    setup = Setup(
        instance_id="A",
        store="memory://",
        loop="trio",
        lease=1.8,
        heartbeat=0.3,
        works=works,
        remove="/tmp/folder",
    )
    assert setup == Setup.from_json(setup.to_json())
