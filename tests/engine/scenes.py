"""What the cluster tests have in common: the usual figures, and a run in progress."""

from anarchon.events import Event, Interrupted
from anarchon.model import RunRecord, Status
from anarchon.testing.clocks import EPOCH
from anarchon.testing.cluster import Cluster
from anarchon.testing.instance import Instance

MINUTE = 60.0
HOUR = 3_600.0

LEASE = 30.0
HEARTBEAT = 5.0
JITTER = 2.0
# the bounds that are promised for these figures, which are the defaults
TAKEOVER_WITHIN = LEASE + 2 * HEARTBEAT
HAND_OVER_WITHIN = 2 * HEARTBEAT


def without_its_runner(event: Event) -> bool:
    """Tell whether a run ended for good without its runner; others tell of that."""
    return isinstance(event, Interrupted) and event.final and not event.record.manual


def slot_at(seconds: float) -> int:
    """Return the slot at an instant of the loop's time."""
    return round((EPOCH + seconds) * 1000)


async def a_run(
    cluster: Cluster, seconds: float = MINUTE, period: float = 10 * MINUTE
) -> Instance:
    """Start the cluster with one job, wait for its first run; return who runs it."""
    cluster.every("sync", period, cluster.work(seconds))
    await cluster.start()
    await cluster.wait_for(lambda: bool(cluster.live_runs()), within=period + JITTER)
    return cluster.runner("sync")


def others(cluster: Cluster, instance: Instance) -> list[Instance]:
    """Return all instances but one."""
    return [other for other in cluster if other is not instance]


def outline(history: list[RunRecord]) -> list[tuple[int, Status]]:
    """Return the attempts and how they ended, oldest first."""
    return [(record.attempt, record.status) for record in reversed(history)]
