"""How long a run waits for its next attempt when the instance that runs it is lost."""

import statistics
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.effort import Effort
from benchmarks.peers.known import PEERS
from benchmarks.report import Answer, Cell, Goal, Plot, Row, Table, once
from benchmarks.stores import MEMORY, STORES
from benchmarks.takeover.abandoned import INSTANCES as FEW
from benchmarks.takeover.abandoned import AbandonedRun, abandoned_runs, subjects
from benchmarks.takeover.losing import (
    HEARTBEAT,
    INSTANCES,
    LEASE,
    Loss,
    clusters_on,
    lose_each,
)
from benchmarks.words import number
from tests.servers.fleet import Fleet

TITLE = "Takeover and hand-over"

LEASE_STORES = tuple(store for store in STORES if store.leases and store is not MEMORY)
# in all at least fifty losses of each kind on each store
CLUSTERS, TURNS = 4, 13
# in seconds; what takes longer may as well be never
PATIENCE = 300.0

TAKEOVER_BOUND, TAKEOVER_GOAL = LEASE + 2 * HEARTBEAT, LEASE + HEARTBEAT / 2
HAND_OVER_BOUND, HAND_OVER_GOAL = 2 * HEARTBEAT, HEARTBEAT

Waits = Mapping[str, Sequence[float]]

SETTING = (
    f"A lease of {LEASE:g} s and a heartbeat of {HEARTBEAT:g} s, the default ratio. "
    f"Each cluster has {INSTANCES} instances, each a process of its own, and one job "
    "whose run never ends. The instance that runs it"
)
METHOD = (
    "at a random moment; the wait is from just before the signal to the first line of "
    "the handler in another instance. Then the lost instance is replaced. "
    f"{CLUSTERS} clusters on each store, on all stores side by side."
)
LOOKED_FOR = (
    "A message that is put back into a queue wakes whoever waits at it; a lease that "
    "was ended is found by whoever looks next, one to two heartbeats after it looked "
    "last."
)


def answer(effort: Effort) -> Answer:
    """Lose instances of all packages, and while they are waited for, many of ours."""
    others, turns = effort.of(subjects(), subjects()[-1:]), range(effort.of(TURNS, 1))
    with Fleet() as fleet, abandoned_runs(others, fleet) as abandoned:
        with clusters_on(LEASE_STORES, effort.of(CLUSTERS, 1), fleet) as clusters:
            killed = _joined([lose_each(clusters, Loss.KILL) for _ in turns])
            stopped = _joined([lose_each(clusters, Loss.STOP) for _ in turns])
        beside = others_table(abandoned, effort.of(PATIENCE, 1.0))
    return Answer(
        tables=[takeover_table(killed), hand_over_table(stopped), beside],
        goals=[*takeover_goals(killed), *hand_over_goals(stopped)],
        plots=[takeover_plot(killed), hand_over_plot(stopped)],
    )


def _joined(turns: Sequence[Waits]) -> Waits:
    stores = turns[0]
    return {store: [wait for turn in turns for wait in turn[store]] for store in stores}


def takeover_table(waits: Waits) -> Table:
    """Show the distribution after kills, beside the bound."""
    return Table(
        title="From a kill to the next attempt",
        text=(
            f"{SETTING} is ended by SIGKILL {METHOD} The bound is a lease and two "
            "heartbeats."
        ),
        rows=list(_rows(waits, TAKEOVER_BOUND)),
        unit="seconds",
        notes=[
            f"{store}: the median is {number(_percentile(found, 50) / LEASE)} leases, "
            f"the 99th percentile {number(_percentile(found, 99) / LEASE)}."
            for store, found in waits.items()
        ],
    )


def hand_over_table(waits: Waits) -> Table:
    """Show the distribution after graceful stops, beside the bound."""
    return Table(
        title="From a SIGTERM to the next attempt",
        text=(
            f"{SETTING} is asked to stop by SIGTERM {METHOD} It ends its lease before "
            "it ends itself, and the others find that when they look next, one to two "
            "heartbeats after they looked last. The bound is two heartbeats."
        ),
        rows=list(_rows(waits, HAND_OVER_BOUND)),
        unit="seconds",
        notes=[
            f"{store}: the median is {number(_percentile(found, 50) / HEARTBEAT)} "
            f"heartbeats, the 99th percentile "
            f"{number(_percentile(found, 99) / HEARTBEAT)}."
            for store, found in waits.items()
        ],
    )


def _rows(waits: Waits, bound: float) -> Iterator[Row]:
    for store, found in waits.items():
        cells: dict[str, Cell | str] = {"least": once(min(found))}
        cells |= {f"p{p}": once(_percentile(found, p)) for p in (50, 90, 99)}
        cells |= {"most": once(max(found)), "bound": once(bound)}
        yield Row(name=store, cells={**cells, "losses": f"{len(found)}"})


def others_table(abandoned: Sequence[AbandonedRun], patience: float) -> Table:
    """Show what others do, each with the defaults it comes with."""
    cells: dict[str, dict[str, Cell | str]] = {}
    for run in abandoned:
        column = "after SIGKILL" if run.loss is Loss.KILL else "after SIGTERM"
        cells.setdefault(run.subject, {})[column] = _outcome(run, patience)
    return Table(
        title="The same with other packages",
        text=(
            f"{FEW} instances of each package, as it comes, with its defaults, on a "
            "database of its own, and one job that is scheduled once. When its run has "
            "begun, the process that runs it is ended by SIGKILL, or asked to stop by "
            "SIGTERM. One loss of each kind: whether the run begins again in the other "
            f"process, and after how long. All were waited for, {patience:g} s long, "
            "while the clusters above were measured."
        ),
        rows=[Row(name=name, cells=found) for name, found in cells.items()],
        unit="seconds",
        notes=[
            LOOKED_FOR,
            *(f"{p.name} after a kill: {p.after_kill}" for p in PEERS if p.server),
        ],
    )


def _outcome(run: AbandonedRun, patience: float) -> Cell | str:
    waited = run.waited(patience)
    if waited is not None:
        return once(waited)
    if run.loss is Loss.STOP and run.still_there:
        return f"not within {patience:g} s: goes on where it was"
    return f"not within {patience:g} s"


def takeover_goals(waits: Waits) -> Iterator[Goal]:
    """Hold nearly all takeovers to a limit that is tighter than the bound."""
    for store, found in waits.items():
        yield Goal(
            text=f"p99 from a kill to the next attempt, {store}: a lease and a half "
            "heartbeat",
            measured=_percentile(found, 99),
            limit=TAKEOVER_GOAL,
            unit="s",
            holds_back=_late(found, TAKEOVER_GOAL),
        )


def hand_over_goals(waits: Waits) -> Iterator[Goal]:
    """Hold half of the hand-overs to a limit that is tighter than the bound."""
    for store, found in waits.items():
        yield Goal(
            text=f"p50 from a SIGTERM to the next attempt, {store}: a heartbeat",
            measured=_percentile(found, 50),
            limit=HAND_OVER_GOAL,
            unit="s",
            holds_back=_late(found, HAND_OVER_GOAL),
        )


def _late(found: Sequence[float], limit: float) -> str:
    late = sum(wait > limit for wait in found)
    return (
        f"{late} of {len(found)} took longer; the longest took {number(max(found))} s"
    )


def takeover_plot(waits: Waits) -> Plot:
    """Draw which share of the runs had begun again, by time."""
    title = "From a kill to the next attempt"
    return _plot("takeover-kill", title, waits, TAKEOVER_BOUND)


def hand_over_plot(waits: Waits) -> Plot:
    """Draw the same of hand-overs."""
    title = "From a SIGTERM to the next attempt"
    return _plot("takeover-stop", title, waits, HAND_OVER_BOUND)


def _plot(name: str, title: str, waits: Waits, bound: float) -> Plot:
    lines: dict[str, Sequence[tuple[float, float]]] = {
        store: [(wait, (n + 1) / len(found)) for n, wait in enumerate(sorted(found))]
        for store, found in waits.items()
    }
    lines["bound"] = [(bound, 0.0), (bound, 1.0)]
    return Plot(
        name=name,
        title=title,
        x="seconds",
        y="share of the runs that had begun again",
        lines=lines,
        logarithmic=False,
    )


def _percentile(found: Sequence[float], percent: int) -> float:
    if len(found) == 1:
        return found[0]
    return statistics.quantiles(found, n=100, method="inclusive")[percent - 1]
