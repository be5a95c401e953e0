"""Clusters that lose the instance which runs their job, and how long the job waits.

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

from benchmarks.instances.process import Instance, Instances
from benchmarks.stores import NAMESPACE, Store
from tests.servers.fleet import Fleet

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
    """Some instances on one store, of which one has the run."""

    def __init__(self, url: str) -> None:
        options = {
            "url": url,
            "at": int(time.time()),
            "lease": LEASE,
            "heartbeat": HEARTBEAT,
        }
        words = [word for name in options for word in (f"--{name}", str(options[name]))]
        self.instances = Instances([sys.executable, "-m", HOLDER, *words])
        self._lost: Instance | None = None
        self._lost_at = 0.0

    def fill(self) -> None:
        """Start what is missing, and wait until one has the run."""
        there = sum(not instance.doomed for instance in self.instances.all)
        self.instances.start(INSTANCES - there)
        self.instances.until(bool, PATIENCE)

    def lose(self, loss: Loss) -> None:
        """Kill or stop whoever has the run."""
        self._lost = runner = self.instances.of(self.instances.marks()[-1])
        self._lost_at = lose(runner, loss)

    def waited(self) -> float:
        """Return how long it took until the next attempt began, in seconds."""
        assert self._lost is not None
        lost = self._lost.pid
        marks = self.instances.until(lambda marks: marks[-1].pid != lost, PATIENCE)
        if marks[-1].pid == lost:
            raise self._lost.complain(f"was lost, and nobody went on for {PATIENCE} s")
        return marks[-1].at - self._lost_at


@contextmanager
def clusters_on(
    stores: Sequence[Store], each: int, fleet: Fleet
) -> Generator[Mapping[str, Sequence[Cluster]]]:
    """Yield so many clusters on each store, by its name; none has an instance yet."""
    with ExitStack() as stack:
        clusters: dict[str, Sequence[Cluster]] = {}
        for store in stores:
            url = stack.enter_context(store.at_hand(fleet))
            clusters[store.name] = [Cluster(_apart(url, n)) for n in range(each)]
            for cluster in clusters[store.name]:
                stack.enter_context(cluster.instances)
        yield clusters


def _apart(url: str, number: int) -> str:
    return url.replace(f"namespace={NAMESPACE}", f"namespace={NAMESPACE}{number}")


def lose_each(
    clusters: Mapping[str, Sequence[Cluster]], loss: Loss
) -> Mapping[str, Sequence[float]]:
    """Let each cluster lose its runner once; return how long each waited, in seconds.

    The losses are spread over some heartbeats, and nothing else starts meanwhile.
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
        store: [cluster.waited() for cluster in some]
        for store, some in clusters.items()
    }
