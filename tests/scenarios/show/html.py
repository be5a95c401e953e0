"""A run as one page of HTML that needs nothing else: to be kept, or sent to someone.

Decides what is on the page and in which order. Must not know how timelines are drawn,
nor how anything is coloured.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.scenarios.performance import Outcome, Performance
from tests.scenarios.scenario import Scenario
from tests.scenarios.show.findings import (
    Finding,
    all_well,
    findings_of,
    headline,
    of_kind,
    time_words,
)
from tests.scenarios.show.key import key_of_marks
from tests.scenarios.show.markup import Markup, joined, tag
from tests.scenarios.show.run import Run
from tests.scenarios.show.shapes import definitions
from tests.scenarios.show.svg import drawing_of
from tests.scenarios.show.table import Half, Row, conclusion, rows_of
from tests.scenarios.show.timeline import timeline_of
from tests.scenarios.stores import PAIRS

STYLE = Path(__file__).with_name("style.css")
TITLE = "Failure scenarios"

CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[([^]]+)\]\([^)]*\)")


def html_of(run: Run) -> str:
    """Return the page."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", TITLE),
        tag("style", Markup(STYLE.read_text())),
    )
    sections = (_section(scenario, run) for scenario in run.scenarios)
    body = tag("body", definitions(), tag("main", _top(run), sections))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def prose(text: str) -> Markup:
    """Return a text of a scenario; its links lead to pages that aren't here."""
    parts = CODE.split(LINK.sub(r"\1", text))
    return joined(
        tag("code", part) if index % 2 else part for index, part in enumerate(parts)
    )


# --- the top --------------------------------------------------------------------------


def _top(run: Run) -> Iterator[Markup]:
    yield tag("h1", TITLE)
    well = all_well(run.performances)
    yield tag("p", conclusion(run).plain, class_="good" if well else "bad")
    yield tag("p", _where(run), class_="dim")
    yield tag("div", _table(run), class_="wide")
    yield tag("h3", "What the marks mean")
    yield key_of_marks()


def _where(run: Run) -> str:
    when = f"{run.began:%Y-%m-%d %H:%M %Z}".strip()
    servers = ", ".join(dict.fromkeys(run.servers.values()))
    return f"{when} · {run.python} · {run.machine} · {servers}"


def _table(run: Run) -> Markup:
    names = ("What happens", "Claim-only backend", "Lease backend")
    head = tag("tr", (tag("th", name, scope="col") for name in names))
    rows = (_row(row) for row in rows_of(run))
    return tag("table", tag("thead", head), tag("tbody", rows))


def _row(row: Row) -> Markup:
    link = tag("a", f"{row.number}. {row.title}", href=f"#scenario-{row.number}")
    title = tag("th", link, scope="row")
    return tag("tr", title, tag("td", _half(row.claims)), tag("td", _half(row.lease)))


def _half(half: Half) -> Iterator[Markup]:
    yield tag("span", prose(half.summary))
    yield tag("span", half.outcome, class_="good" if half.well else "bad")
    for time in half.times:
        yield tag("span", time, class_="dim")


# --- a scenario -----------------------------------------------------------------------


def _section(scenario: Scenario, run: Run) -> Markup:
    here = run.of(scenario)
    name = f"scenario-{scenario.number}"
    advice = [tag("p", prose(scenario.advice))] if scenario.advice else []
    return tag(
        "section",
        tag("h2", f"{scenario.number}. {scenario.title}", id=name),
        tag("p", prose(scenario.story)),
        tag("div", _sides(scenario, here, run), class_="sides"),
        advice,
        aria_labelledby=name,
    )


def _sides(
    scenario: Scenario, here: Sequence[Performance], run: Run
) -> Iterator[Markup]:
    """Give the cells of two columns, row by row: lease, claim-only."""
    ends = (timeline_of(one.reports, one.ended).end for one in here)
    span = max(ends, default=0.0)
    by = {one.store.name: one for one in here}
    for name, side in (("Lease", scenario.lease), ("Claim-only", scenario.claims)):
        yield tag("div", tag("h3", name), tag("p", prose(side.summary)))
    for pair in PAIRS:
        if any(store.name in by for store in pair):
            yield from (_figure(by.get(store.name), span, run) for store in pair)
    for leases in (True, False):
        yield _promises(of_kind(here, leases=leases))


def _figure(performance: Performance | None, span: float, run: Run) -> Markup:
    if performance is None:
        return tag("div")
    drawn = _drawing(performance, span) if performance.reports else ""
    return tag("figure", _caption(performance, run), drawn, _details(performance))


def _drawing(performance: Performance, span: float) -> Markup:
    name = f"Timeline on {performance.store.name}"
    drawing = drawing_of(
        timeline_of(performance.reports, performance.ended), span, name
    )
    return tag("div", drawing, class_="wide")


def _caption(performance: Performance, run: Run) -> Markup:
    name = performance.store.name
    loops = "/".join(performance.loops)
    facts = [run.servers.get(name, ""), loops, f"{performance.took:.1f} s"]
    return tag(
        "figcaption",
        tag("strong", name),
        f" · {' · '.join(fact for fact in facts if fact)} · ",
        tag("span", headline(performance), class_=_class_of(performance)),
    )


def _class_of(performance: Performance) -> str:
    if performance.outcome is Outcome.NOT_PLAYED:
        return "dim"
    return "good" if performance.outcome is Outcome.KEPT else "bad"


def _details(performance: Performance) -> list[Markup]:
    return [tag("pre", performance.why)] if performance.why else []


def _promises(performances: Sequence[Performance]) -> Markup:
    found = (_finding(finding) for finding in findings_of(performances))
    return tag("ul", found, class_="promises")


def _finding(finding: Finding) -> Markup:
    verdict = "kept" if finding.kept else "broken"
    return tag(
        "li",
        tag("span", verdict, class_="good" if finding.kept else "bad"),
        " · ",
        prose(finding.promise),
        (tag("div", time, class_="dim") for time in time_words(finding.times)),
        (
            tag("pre", f"{store}: {problem}", class_="bad")
            for store, problem in finding.problems.items()
        ),
    )
