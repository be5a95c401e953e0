"""How the wait after a kill grows with the runs that are lost, and with the instances.

Decides how many there are of each. Each round has clusters of its own.
"""

import itertools
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from benchmarks.effort import Effort
from benchmarks.report import Cell, Row, Table
from benchmarks.stores import POSTGRES, REDIS
from benchmarks.takeover.losing import INSTANCES, Cluster, Loss, apart, lose_each
from benchmarks.words import counted
from tests.servers.fleet import Fleet

# all instances have their connections on one server
STORES = (REDIS, replace(POSTGRES, settings={"max_connections": "400"}))
JOBS = (1, 10, 100)
SIZES = (2, INSTANCES, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A cluster on a store: so many jobs, all run by one of so many instances."""

    store: str
    jobs: int = 1
    instances: int = INSTANCES


# seconds of each round
Waits = Mapping[Shape, Sequence[float]]


def waits_of_shapes(fleet: Fleet, effort: Effort) -> Waits:
    """Kill the runner of a cluster of each shape, all side by side, in each round."""
    jobs, sizes = effort.of(JOBS, JOBS[:2]), effort.of(SIZES, SIZES[:1])
    shapes = [
        shape
        for store in STORES
        for shape in dict.fromkeys(
            [
                *(Shape(store=store.name, jobs=many) for many in jobs),
                *(Shape(store=store.name, instances=many) for many in sizes),
            ]
        )
    ]
    waits: dict[Shape, list[float]] = {shape: [] for shape in shapes}
    with ExitStack() as stack:
        urls = {s.name: stack.enter_context(s.at_hand(fleet)) for s in STORES}
        numbers = itertools.count()
        for _ in range(effort.rounds):
            round_urls = {s: apart(urls[s.store], next(numbers)) for s in shapes}
            for shape, wait in _lost_once(round_urls).items():
                waits[shape].append(wait)
    return waits


def _lost_once(urls: Mapping[Shape, str]) -> Mapping[Shape, float]:
    with ExitStack() as stack:
        clusters: dict[Shape, Sequence[Cluster]] = {}
        for shape, url in urls.items():
            cluster = Cluster(url, shape.jobs, shape.instances)
            stack.enter_context(cluster.instances)
            clusters[shape] = [cluster]
        waits = lose_each(clusters, Loss.KILL)
    return {shape: wait for shape, [wait] in waits.items()}


def growth_table(waits: Waits) -> Table:
    """Show the waits by jobs, and by instances."""
    stores = dict.fromkeys(shape.store for shape in waits)
    return Table(
        title="From a kill to the last of the next attempts",
        text=(
            "The same lease and heartbeat. The instance that is killed runs all jobs "
            f"of its cluster: so many, with {INSTANCES} instances; or one, with so "
            "many instances. The wait is until each of its runs has begun again. Each "
            "round has new clusters, all of which are lost within some heartbeats."
        ),
        rows=[
            *(_row(store, waits, by="jobs") for store in stores),
            *(_row(store, waits, by="instances") for store in stores),
        ],
        unit="seconds",
    )


def _row(store: str, waits: Waits, by: str) -> Row:
    shapes = [shape for shape in waits if shape.store == store]
    shapes.sort(key=lambda shape: (shape.jobs, shape.instances))
    if by == "jobs":
        cells = {counted(s.jobs, "job"): s for s in shapes if s.instances == INSTANCES}
    else:
        cells = {counted(s.instances, "instance"): s for s in shapes if s.jobs == 1}
    return Row(
        name=f"{store}, by {by}",
        cells={name: Cell(values=waits[shape]) for name, shape in cells.items()},
    )
