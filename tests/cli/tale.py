"""A show that went well, as reports and records; tests change what they are about."""

from dataclasses import replace
from datetime import UTC, datetime

from anarchon import Reason, RunRecord, Status
from anarchon.cli.demo.plan import INSTANCES, REPORT, SYNC
from anarchon.cli.demo.story import Story
from anarchon.cli.report import Kind, Report

BEGAN = 1_700_000_000.0
FIRST, SECOND = 1_700_000_004_000, 1_700_000_012_000

STATUSES = {
    Kind.SUCCESS: Status.SUCCESS,
    Kind.FAILURE: Status.FAILED,
    Kind.INTERRUPTED: Status.INTERRUPTED,
}


class Tale:
    """Reports in the order of their time, and what the store has recorded."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.records: list[RunRecord] = []

    def tell(self, name: str, at: float, kind: Kind, **more: object) -> None:
        """Add a report, ``at`` seconds after the beginning."""
        report = Report(instance_id=name, at=BEGAN + at, kind=kind)
        self.reports.append(replace(report, **more))  # type: ignore[arg-type]

    def record(
        self, about: Report, ended: float | None, status: Status, **more: object
    ) -> None:
        """Add the record of a started attempt."""
        record = RunRecord(
            job=about.job or "",
            slot=about.slot,
            attempt=about.attempt,
            status=status,
            reason=Reason.SCHEDULED,
            manual=False,
            instance_id=about.instance_id,
            started_at=datetime.fromtimestamp(about.at, UTC),
            ended_at=None if ended is None else datetime.fromtimestamp(ended, UTC),
        )
        self.records.append(replace(record, **more))  # type: ignore[arg-type]

    def run(
        self,
        name: str,
        key: tuple[str, int, int],
        began: float,
        ended: float,
        end: Kind = Kind.SUCCESS,
    ) -> None:
        """Add an attempt from its start to its end; one is handed over or succeeds."""
        about = dict(zip(("job", "slot", "attempt"), key, strict=True))
        handed_over = end is Kind.INTERRUPTED
        self.tell(name, began, Kind.START, **about)
        started = self.reports[-1]
        if end is not Kind.KILLED:
            self.tell(name, ended, end, handed_over=handed_over, **about)
        status = STATUSES.get(end, Status.INTERRUPTED)
        self.record(started, BEGAN + ended, status, handed_over=handed_over)

    def story(self) -> Story:
        """Return the story that the reports add up to."""
        story = Story(began=BEGAN)
        for report in sorted(self.reports, key=lambda report: report.at):
            story.hear(report)
        return story


def a_good_tale() -> Tale:
    """Return a show that keeps every promise.

    A is killed at 5.5 s; B goes on with its report from 7.3 s to 10.3 s. B is stopped
    at 13.5 s; C goes on with its report from 13.9 s to 16.9 s.
    """
    tale = Tale()
    for name, pid in zip(INSTANCES, (101, 102, 103), strict=True):
        tale.tell(name, 0.1, Kind.SPAWNED, pid=pid)
        tale.tell(name, 0.6, Kind.READY)
    for number, name in enumerate("ABCABC"):
        slot = FIRST - 3_000 + number * 500
        tale.run(name, (SYNC, slot, 1), 1.1 + number / 2, 1.2 + number / 2)
    _kill(tale)
    _stop(tale)
    for name in "AC":
        tale.tell(name, 17.5, Kind.STOPPED)
        tale.tell(name, 17.6, Kind.EXITED)
    return tale


def _kill(tale: Tale) -> None:
    tale.run("A", (REPORT, FIRST, 1), 4.1, 7.3, Kind.KILLED)
    half = {"job": REPORT, "slot": FIRST, "attempt": 1, "share": 0.5}
    tale.tell("A", 5.4, Kind.PROGRESS, **half)
    tale.tell("A", 5.5, Kind.KILLED)
    tale.tell("A", 5.6, Kind.EXITED, exit_status=-9)
    again = {"job": REPORT, "slot": FIRST, "attempt": 2}
    tale.tell("B", 7.29, Kind.TAKEOVER, from_instance="A", **again)
    tale.run("B", (REPORT, FIRST, 2), 7.3, 10.3)
    tale.tell("A", 7.4, Kind.SPAWNED, pid=104)
    tale.tell("A", 7.9, Kind.READY)


def _stop(tale: Tale) -> None:
    tale.run("B", (REPORT, SECOND, 1), 12.1, 13.5, Kind.INTERRUPTED)
    tale.tell("B", 13.49, Kind.STOPPED)
    tale.tell("B", 13.8, Kind.EXITED)
    again = {"job": REPORT, "slot": SECOND, "attempt": 2}
    tale.tell("C", 13.89, Kind.TAKEOVER, from_instance="B", **again)
    tale.run("C", (REPORT, SECOND, 2), 13.9, 16.9)
