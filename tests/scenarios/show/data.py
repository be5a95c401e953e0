"""A run as JSON: for programs, and for whoever looks for why a promise was broken.

Decides its form: plain values, times in seconds. Lanes, bars and marks are as they are
drawn; the reports that they were made from are there as well.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields

from tests.processes.report import Report
from tests.scenarios.performance import Performance
from tests.scenarios.scenario import Scenario, Side
from tests.scenarios.show.run import Run
from tests.scenarios.show.timeline import timeline_of

Plain = Mapping[str, object]

USUAL = {field.name: field.default for field in fields(Report)}


def json_of(run: Run) -> str:
    """Return all that is known of a run."""
    told = {
        "began": run.began.isoformat(),
        "took": run.took,
        "python": run.python,
        "machine": run.machine,
        "servers": dict(run.servers),
        "scenarios": [_scenario(one) for one in run.scenarios],
        "performances": [_performance(one) for one in run.performances],
    }
    return json.dumps(told, ensure_ascii=False) + "\n"


def _scenario(scenario: Scenario) -> Plain:
    return {
        "number": scenario.number,
        "title": scenario.title,
        "story": scenario.story,
        "advice": scenario.advice,
        "lease": _side(scenario.lease),
        "claims": _side(scenario.claims),
    }


def _side(side: Side) -> Plain:
    return {
        "summary": side.summary,
        "promises": [promise.text for promise in side.promises],
        "not_on": dict(side.not_on),
    }


def _performance(performance: Performance) -> Plain:
    return {
        "scenario": performance.scenario,
        "store": performance.store.name,
        "leases": performance.store.leases,
        "outcome": performance.outcome,
        "why": performance.why,
        "took": performance.took,
        "loops": list(performance.loops),
        "again": list(performance.again),
        "verdicts": [asdict(verdict) for verdict in performance.verdicts],
        "timeline": asdict(timeline_of(performance.reports, performance.ended)),
        "reports": [_report(report) for report in performance.reports],
    }


def _report(report: Report) -> Plain:
    """Leave out what says nothing."""
    told: dict[str, object] = asdict(report)
    return {name: value for name, value in told.items() if value != USUAL[name]}
