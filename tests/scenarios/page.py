"""The page for users, ``docs/scenarios.md``: made from the scenarios and a run of them.

Decides its form, and what of a run is kept for it, in a file beside this one. So the
page can be made again without a run, and differs from the scenarios in no word.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import fill

from tests.pages import ROOT
from tests.scenarios import figures
from tests.scenarios.always import ALWAYS
from tests.scenarios.performance import Outcome, Performance
from tests.scenarios.scenario import Scenario, Side
from tests.scenarios.show.cells import text_lanes
from tests.scenarios.show.findings import findings_of, of_kind, time_words
from tests.scenarios.show.looks import legend_lines
from tests.scenarios.show.run import Run
from tests.scenarios.show.timeline import timeline_of
from tests.scenarios.stores import STORES

PAGE = ROOT / "docs" / "scenarios.md"
KEPT = Path(__file__).with_name("page.json")

WIDTH = 88
LANES = 78

INTRO = """\
These are situations that a cluster really meets: processes that die, freeze and are
stopped, stores that go away, clocks that are wrong. For each one this page says what
a lease backend promises, and what a claim-only backend does in its place.

Each is a test. Three instances, A, B and C, are real processes on a real store, and are
killed (SIGKILL), frozen (SIGSTOP, SIGCONT), stopped (SIGTERM) and started again. Each
promise was judged on every store that it speaks of, by what the instances told, by what
their handlers wrote into a file, and by the history in the store; this page is made
from such a run. Watch it in a checkout, all of it or a part:

```sh
nox -s scenarios
nox -s scenarios -- --scenario 3 --backend postgres nats
```

"""

FIGURES = (
    "It ends with the table below, and with `build/scenarios/report.html`, where each "
    "timeline is drawn. The instances run on Trio and on asyncio in turn. So that "
    f"nobody waits for long, leases are short: `lease={figures.LEASE:g}`, "
    f"`heartbeat={figures.HEARTBEAT:.3f}` and `stop_timeout={figures.STOP_TIMEOUT:g}`, "
    "where nothing else is said. By default a lease is 30 s, and so is `stop_timeout`; "
    "a heartbeat is a sixth of a lease there too."
)

KINDS = {True: "Lease backend", False: "Claim-only backend"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the page needs of a run.

    ``lanes`` has a timeline for each scenario and kind of store, by both: the store's
    name, then the lines. ``times`` says how long it took what a promise is about, by
    the promise's text besides.
    """

    day: str
    where: str
    servers: Mapping[str, str]
    times: Mapping[str, Sequence[str]]
    lanes: Mapping[str, Sequence[str]]

    def to_json(self) -> str:
        """Return the text that ``from_json`` reads."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str) -> "Kept":
        """Return what ``to_json`` wrote."""
        return Kept(**json.loads(text))


# --- what is kept of a run ------------------------------------------------------------


def kept_of(run: Run) -> Kept:
    """Return what the page needs of a run in which every scenario was played."""
    return Kept(
        day=run.began.date().isoformat(),
        where=f"{run.python}, {run.machine}",
        servers=dict(run.servers),
        times=dict(_times(run)),
        lanes=dict(_lanes(run)),
    )


def _times(run: Run) -> Iterator[tuple[str, list[str]]]:
    for scenario in run.scenarios:
        for leases in KINDS:
            for finding in findings_of(of_kind(run.of(scenario), leases=leases)):
                if finding.times:
                    key = f"{_key(scenario, leases)}: {finding.promise}"
                    yield key, time_words(finding.times)


def _lanes(run: Run) -> Iterator[tuple[str, list[str]]]:
    for scenario in run.scenarios:
        for leases in KINDS:
            here = of_kind(run.of(scenario), leases=leases)
            played = [one for one in here if one.outcome is not Outcome.NOT_PLAYED]
            if played:
                yield _key(scenario, leases), [played[0].store.name, *_drawn(played[0])]


def _drawn(performance: Performance) -> list[str]:
    timeline = timeline_of(performance.reports, performance.ended)
    lines = text_lanes(timeline, timeline.end, LANES, ascii_only=False)
    return [line.rstrip() for line in lines]


def _key(scenario: Scenario, leases: bool) -> str:
    return f"{scenario.number} {'lease' if leases else 'claims'}"


# --- the page -------------------------------------------------------------------------


def page_of(scenarios: Sequence[Scenario], kept: Kept) -> str:
    """Return the text of the page."""
    parts = [
        "# Failure scenarios\n",
        INTRO,
        _prose(FIGURES),
        "\n".join(_table(scenarios)) + "\n",
        "Two more promises hold in every scenario, on every store:\n",
        "\n".join(f"- {promise.text}" for promise in ALWAYS) + "\n",
        *_measured(kept),
        *(part for scenario in scenarios for part in _section(scenario, kept)),
    ]
    return "\n".join(parts)


def _table(scenarios: Sequence[Scenario]) -> Iterator[str]:
    yield "| what happens | claim-only backend | lease backend |"
    yield "|---|---|---|"
    for one in scenarios:
        title = f"[{one.number}. {one.title}](#{_anchor(one)})"
        yield f"| {title} | {one.claims.summary} | {one.lease.summary} |"


def _anchor(scenario: Scenario) -> str:
    heading = f"{scenario.number} {scenario.title}".lower().replace(" ", "-")
    return "".join(c for c in heading if c.isalnum() or c in "-_")


def _measured(kept: Kept) -> Iterator[str]:
    versions = ", ".join(dict.fromkeys(kept.servers.values()))
    yield _prose(
        f"The times below are those of a run on {kept.day} with {kept.where}, on "
        f"{versions}: the shortest and the longest over all stores of a kind. A "
        "timeline shows one store of each kind, with the seconds below it:"
    )
    looks = legend_lines(LANES, ascii_only=False)
    yield _block(["".join(text for text, _ in line).rstrip() for line in looks])


def _section(scenario: Scenario, kept: Kept) -> Iterator[str]:
    yield f"## {scenario.number}. {scenario.title}\n"
    yield _prose(scenario.story)
    for leases, name in KINDS.items():
        side, key = scenario.side(leases), _key(scenario, leases)
        yield _prose(f"**{name}.** {side.summary}.")
        yield from _timeline(kept.lanes.get(key))
        for promise in side.promises:
            yield _promise(promise.text, kept.times.get(f"{key}: {promise.text}"))
        yield ""
        yield from _not_on(side)
    if scenario.advice:
        yield _prose(scenario.advice)


def _timeline(lanes: Sequence[str] | None) -> Iterator[str]:
    if lanes:
        store, *lines = lanes
        yield _block([store, *lines])


def _promise(text: str, times: Sequence[str] | None) -> str:
    measured = f" Measured: {'; '.join(times)}." if times else ""
    return fill(
        f"- {text}{measured}", WIDTH, subsequent_indent="  ", break_long_words=False
    )


def _not_on(side: Side) -> Iterator[str]:
    for store in STORES:
        if why := side.not_on.get(store.name):
            yield _prose(f"Not on {store.product}: {why}.")


def _prose(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def _block(lines: Sequence[str]) -> str:
    return "\n".join(["```text", *lines, "```"]) + "\n"
