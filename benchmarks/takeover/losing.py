"""Clusters that lose the instance which runs their jobs, and how long these wait.

Decides when they lose it, which is at a moment that nobody chose. Must not know what is
made of the times.
"""

import random
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import TypeVar

from benchmarks.instances.marks import Mark
from benchmarks.instances.process import Instance, Instances
from benchmarks.stores import NAMESPACE, Store
from tests.servers.fleet import Fleet

K = TypeVar("K")

HOLDER = "benchmarks.takeover.holder"
INSTANCES = 3
# the shortest beats that a busy machine still keeps, and the default ratio
LEASE, HEARTBEAT = 3.0, 0.5
# all that a start asks is over by then
SETTLED = 2 * HEARTBEAT
PATIENCE = 5 * LEASE
# within that time all clusters lose their runners
SPREAD = 2 * HEARTBEAT
# instances that start at the same time
AT_ONCE = 4


class Loss(StrEnum):
    """How a runner is lost: by SIGKILL or by SIGTERM."""

    KILL = "kill"
    STOP = "stop"


def lose(instance: Instance, loss: Loss) -> float:
    """Kill or stop an instance; return the wall time before it, since 1970 UTC."""
    match loss:
        case Loss.KILL:
            return instance.kill()
        case Loss.STOP:
            return instance.stop()


class Cluster:
    """Some instances on one store; the first runs all jobs, until it is lost."""

    def __init__(self, url: str, jobs: int = 1, size: int = INSTANCES) -> None:
        options = {
            "url": url,
            "jobs": jobs,
            "at": int(time.time()),
            "lease": LEASE,
            "heartbeat": HEARTBEAT,
        }
        words = [word for name in options for word in (f"--{name}", str(options[name]))]
        self.instances = Instances([sys.executable, "-m", HOLDER, *words])
        self._jobs = jobs
        self._size = size
        self._lost: Instance
        self._lost_at: float

    def fill(self) -> None:
        """Start what is missing, once somebody runs all jobs."""
        if not self.instances.all:
            [first] = self.instances.start()
            marks = self.instances.until(self._all_run, PATIENCE)
            if not self._all_run(marks):
                raise first.complain(f"does not run all jobs after {PATIENCE} s")
        there = sum(not instance.doomed for instance in self.instances.all)
        self.instances.start(self._size - there)

    def _all_run(self, marks: Sequence[Mark]) -> bool:
        return len(_latest(marks)) == self._jobs

    def lose(self, loss: Loss) -> None:
        """Kill or stop whoever has the latest run."""
        self._lost = self.instances.of(self.instances.marks()[-1])
        self._lost_at = lose(self._lost, loss)

    def waited(self) -> float:
        """Return how long it took until all runs had begun again, in seconds."""
        marks = self.instances.until(self._all_go_on, PATIENCE)
        if not self._all_go_on(marks):
            raise self._lost.complain(f"was lost, and a run waits for {PATIENCE} s")
        return marks[-1].at - self._lost_at

    def _all_go_on(self, marks: Sequence[Mark]) -> bool:
        return all(mark.pid != self._lost.pid for mark in _latest(marks).values())


def _latest(marks: Sequence[Mark]) -> Mapping[str, Mark]:
    return {mark.job: mark for mark in marks}


@contextmanager
def clusters_on(
    stores: Sequence[Store], each: int, fleet: Fleet
) -> Generator[Mapping[str, Sequence[Cluster]]]:
    """Yield so many clusters on each store, by its name; none has an instance yet."""
    with ExitStack() as stack:
        clusters: dict[str, Sequence[Cluster]] = {}
        for store in stores:
            url = stack.enter_context(store.at_hand(fleet))
            clusters[store.name] = [Cluster(apart(url, n)) for n in range(each)]
            for cluster in clusters[store.name]:
                stack.enter_context(cluster.instances)
        yield clusters


def apart(url: str, number: int) -> str:
    """Return the same store's URL for the cluster of this number."""
    return url.replace(f"namespace={NAMESPACE}", f"namespace={NAMESPACE}{number}")


def lose_each(
    clusters: Mapping[K, Sequence[Cluster]], loss: Loss
) -> Mapping[K, Sequence[float]]:
    """Let each cluster lose its runner once; return how long each waited, in seconds.

    The losses are spread over some heartbeats, and nothing else starts meanwhile. What
    waits longest is what counts, where an instance ran more than one job.
    """
    together = [cluster for some in clusters.values() for cluster in some]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        # the list lets errors out
        list(threads.map(Cluster.fill, together))
    time.sleep(SETTLED)
    for cluster in random.sample(together, len(together)):
        time.sleep(random.uniform(0, 2 * SPREAD / len(together)))
        cluster.lose(loss)
    return {
        key: [cluster.waited() for cluster in some] for key, some in clusters.items()
    }
