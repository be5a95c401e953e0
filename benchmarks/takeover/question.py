"""How long a run waits for its next attempt when the instance that runs it is lost."""

from collections.abc import Sequence

from benchmarks.effort import Effort
from benchmarks.report import Answer
from benchmarks.stores import MEMORY, STORES
from benchmarks.takeover import others, waits
from benchmarks.takeover.abandoned import abandoned_runs, subjects
from benchmarks.takeover.growth import growth_table, waits_of_shapes
from benchmarks.takeover.losing import Loss, clusters_on, lose_each
from benchmarks.takeover.waits import HAND_OVER, TAKEOVER, Waits
from tests.servers.fleet import Fleet

TITLE = "Takeover and hand-over"

LEASE_STORES = tuple(store for store in STORES if store.leases and store is not MEMORY)
# in all at least fifty losses of each kind on each store
CLUSTERS, TURNS = 4, 13
# of each kind, of each package
LOSSES = 5
# in seconds; what takes longer may as well be never
PATIENCE = 300.0


def answer(effort: Effort) -> Answer:
    """Lose instances of all packages, and while they are waited for, many of ours."""
    packages, turns = effort.of(subjects(), subjects()[-1:]), effort.of(TURNS, 1)
    losses = effort.of(LOSSES, 1)
    with Fleet() as fleet, abandoned_runs(packages, losses, fleet) as abandoned:
        with clusters_on(LEASE_STORES, effort.of(CLUSTERS, 1), fleet) as clusters:
            killed = _joined([lose_each(clusters, Loss.KILL) for _ in range(turns)])
            stopped = _joined([lose_each(clusters, Loss.STOP) for _ in range(turns)])
        shapes = waits_of_shapes(fleet, effort)
        outcomes = others.outcomes(abandoned, effort.of(PATIENCE, 1.0))
    found = {TAKEOVER: killed, HAND_OVER: stopped}
    return Answer(
        tables=[
            *(waits.table(promise, each) for promise, each in found.items()),
            growth_table(shapes),
            others.table(outcomes),
        ],
        findings=[
            *(waits.finding(promise, each) for promise, each in found.items()),
            others.finding(outcomes),
        ],
        ahead=list(others.ahead(outcomes)),
        goals=[
            goal
            for promise, each in found.items()
            for goal in waits.goals(promise, each)
        ],
        plots=[waits.plot(promise, each) for promise, each in found.items()],
    )


def _joined(turns: Sequence[Waits]) -> Waits:
    stores = turns[0]
    return {store: [wait for turn in turns for wait in turn[store]] for store in stores}
