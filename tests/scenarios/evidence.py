"""What a play has left behind: all reports, the handlers' journal, the history.

Decides how it is asked. Must not know what was promised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anarchon.model import Reason, RunRecord, Status
from tests.processes.journal import Line, Phase
from tests.processes.report import Report
from tests.scenarios.judging import only

# the job of most scenarios
JOB = "sync"
# what is told of a call isn't an event
CALLS = ("asked", "answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known about a play, each part oldest first.

    ``reports`` were told by the instances and by whoever did something to them,
    ``lines`` written by the handlers, ``records`` of all jobs read from the store in
    the end. ``complaints`` is what came out on standard error.
    """

    reports: Sequence[Report]
    lines: Sequence[Line]
    records: Sequence[RunRecord]
    complaints: str = ""

    def about(self, job: str) -> "Evidence":
        """Return what there is about one job, and what is about none."""
        return replace(
            self,
            reports=[r for r in self.reports if not r.job or r.job == job],
            lines=[line for line in self.lines if line.job == job],
            records=self.history(job),
        )

    # --- reports ----------------------------------------------------------------------

    def seen(self, what: str, on: str | None = None, attempt: int = 0) -> list[Report]:
        """Return the reports of this, of all instances or of one, and of an attempt."""
        return [
            report
            for report in self.reports
            if report.what == what
            and on in {None, report.who}
            and attempt in {0, report.attempt}
        ]

    def one(self, what: str, on: str | None = None, attempt: int = 0) -> Report:
        """Return the only report of this; ``Broken`` if there isn't exactly one."""
        return only(self.seen(what, on, attempt), what)

    def calls(
        self, operation: str, answer: str | None = None, on: str | None = None
    ) -> list[Report]:
        """Return the answers of the store to calls of this operation."""
        return [
            report
            for report in self.seen("answered", on)
            if report.operation == operation and answer in {None, report.reason}
        ]

    def events(self, who: str, attempt: int) -> list[str]:
        """Return what an instance told of an attempt, by names and in order.

        Errors are left out: a call that isn't answered in time is asked again, and a
        freeze or a busy machine makes any call late.
        """
        return [
            report.what
            for report in self.reports
            if (report.who, report.attempt) == (who, attempt)
            and report.what not in {"skip", "error", *CALLS}
        ]

    def skips(self, who: str, slot: int) -> list[str | None]:
        """Return why an instance skipped a slot."""
        return [skip.reason for skip in self.seen("skip", who) if skip.slot == slot]

    # --- the journal ------------------------------------------------------------------

    def written(self, phase: Phase, who: str | None = None) -> list[Line]:
        """Return what handlers wrote at this phase, on all instances or on one."""
        return [
            line
            for line in self.lines
            if line.phase is phase and who in {None, line.who}
        ]

    @property
    def starts(self) -> list[tuple[str, int]]:
        """Who really began which attempt."""
        return [(line.who, line.attempt) for line in self.written(Phase.START)]

    @property
    def ends(self) -> list[tuple[str, int]]:
        """Who really came to the end of which attempt."""
        return [(line.who, line.attempt) for line in self.written(Phase.END)]

    # --- the history ------------------------------------------------------------------

    def history(self, job: str = JOB) -> list[RunRecord]:
        """Return the records of a job."""
        return [record for record in self.records if record.job == job]

    def outline(self, job: str = JOB) -> list[tuple[int, Status, Reason, str]]:
        """Return what the store keeps: attempt, end, reason to begin, instance."""
        return [
            (record.attempt, record.status, record.reason, record.instance_id)
            for record in self.history(job)
        ]
