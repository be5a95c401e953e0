"""Performances that were made up by hand, for tests of what shows them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.processes.report import Report
from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import Time
from tests.scenarios.performance import Outcome, Performance, Verdict
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.show.run import Run
from tests.scenarios.stage import Stage
from tests.scenarios.stores import STORES

PROMISE = "A backup takes over within 2.67 s."
PIDS = {"A": 1, "B": 2, "C": 3, "": 0}
# the machine's clock when the tale begins
BEGAN = 1_000.0
SLOT = 5_000


def report(at: float, who: str, what: str, **told: object) -> Report:
    """Return a report, ``at`` seconds after the tale began; its wall clock is wrong."""
    usual = {"pid": PIDS[who], "at": 7.0, "job": "", "slot": SLOT}
    return Report(who=who, what=what, monotonic=BEGAN + at, **{**usual, **told})  # type: ignore[arg-type]


def run_report(at: float, who: str, what: str, **told: object) -> Report:
    """Return a report about attempt 1 of the job, if nothing else is said."""
    return report(at, who, what, **{"job": "sync", "attempt": 1, **told})


def claim(at: float, who: str, answer: str, **told: object) -> list[Report]:
    """Return the reports of a claim that was answered at once."""
    asked = {"operation": "claim", "reason": "scheduled", **told}
    return [
        run_report(at, who, "asked", **asked),
        run_report(at + 0.01, who, "answered", **{**asked, "reason": answer}),
    ]


def begun() -> list[Report]:
    """Return what all instances report at first."""
    return [
        report(at, who, what)
        for at, what in ((-2.0, "loaded"), (0.0, "ready"))
        for who in "ABC"
    ]


def killed_and_taken_over() -> list[Report]:
    """Return the reports of a run: A is killed at 2 s, B takes over at 4 s."""
    checks = {"reason": "takeover", "attempt": 2}
    return [
        *begun(),
        *claim(1.0, "A", "won"),
        run_report(1.02, "A", "start", reason="scheduled"),
        *claim(1.05, "B", "running"),
        run_report(1.07, "B", "skip", reason="taken", by="A"),
        run_report(1.5, "A", "answered", operation="heartbeat", reason="accepted"),
        report(2.0, "A", "killed"),
        *claim(2.5, "B", "running", **checks),
        *claim(4.0, "B", "won", **checks),
        run_report(4.02, "B", "takeover", attempt=2, from_instance="A", waited=0.02),
        run_report(4.02, "B", "start", attempt=2, reason="takeover"),
        run_report(5.0, "B", "success", attempt=2),
    ]


def _nothing(stage: Stage) -> None:
    """Play nothing."""


def _no_judge(seen: Evidence) -> None:
    """Find nothing."""


def scenario(title: str = "The runner is killed", story: str = "A job.") -> Scenario:
    """Return a scenario that can be shown, and not played."""
    promise = Promise(text=PROMISE, judge=_no_judge)
    side = Side(summary="A backup goes on", play=_nothing, promises=(promise,))
    return Scenario(
        number=2, title=title, story=story, lease=side, claims=side, advice="None."
    )


def performance(
    store: str,
    reports: Sequence[Report] = (),
    problem: str | None = None,
    seconds: float = 1.9,
) -> Performance:
    """Return what was found on a store: the promise was kept, or had a problem."""
    time = Time(what="takeover", seconds=seconds, within=2.67)
    verdict = Verdict(promise=PROMISE, problem=problem, time=None if problem else time)
    return Performance(
        scenario=2,
        store=next(one for one in STORES if one.name == store),
        outcome=Outcome.BROKEN if problem else Outcome.KEPT,
        loops=["trio", "asyncio", "trio"],
        verdicts=[verdict],
        reports=reports,
        took=6.0,
    )


def a_run(*performances: Performance, of: Scenario | None = None) -> Run:
    """Return a run of one scenario."""
    return Run(
        scenarios=[of or scenario()],
        performances=performances,
        began=datetime(2030, 1, 2, 3, 4, tzinfo=UTC),
        took=12.0,
        python="CPython 3.11.7",
        machine="Linux x86_64",
        servers={"redis": "redis8 8.2.1", "nats": "nats215 2.15.1"},
    )
