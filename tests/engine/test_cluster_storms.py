"""Random storms: faults, crashes, freezes, stops and steps, repeatable by seed."""

import random
from collections import Counter

import anyio
import pytest

from anarchon.errors import BackendUnavailable
from anarchon.events import Start, Success
from anarchon.model import Overlap, RunRecord, Status
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.instance import Instance
from tests.engine.scenes import LEASE, MINUTE

pytestmark = pytest.mark.anyio

STORM = 20 * MINUTE
# after a storm everything that is unfinished gets its end within this time
CALM = 10 * MINUTE


async def start_in_a_storm(instance: Instance) -> None:
    """Start an instance as an operator would: again, until the store answers."""
    while not instance.alive:
        with anyio.move_on_after(30):
            try:
                await instance.start()
            except BackendUnavailable:
                await anyio.sleep(5)


async def misfortune(cluster: Cluster, chance: random.Random) -> None:
    """Let one thing happen to one instance, and end it some time later."""
    instance = chance.choice(list(cluster))
    seconds = chance.uniform(1, 3 * LEASE)
    match chance.choice(["crash", "freeze", "stop", "partition", "clock"]):
        case "crash":
            instance.crash()
            await anyio.sleep(seconds)
        case "freeze":
            instance.freeze()
            await anyio.sleep(seconds)
            instance.thaw(suspended=chance.random() < 0.5)
        case "stop":
            await instance.stop()
            await anyio.sleep(seconds / 10)
        case "partition":
            instance.partition(silent=chance.random() < 0.5)
            await anyio.sleep(seconds)
            instance.heal()
        case _:
            step = chance.uniform(-300, 300)
            instance.clock.step(step)
            await anyio.sleep(seconds)
            instance.clock.step(-step)
    await start_in_a_storm(instance)


async def weather(cluster: Cluster, seed: int, rate: float) -> None:
    """Let a storm pass over the cluster, and wait until all is calm again."""
    chance = random.Random(seed)
    for number, instance in enumerate(cluster):
        instance.faults.storm(seed * 10 + number, rate=rate)
    end = cluster.now + STORM
    while cluster.now < end:
        await anyio.sleep(chance.uniform(1, LEASE))
        await misfortune(cluster, chance)
    for instance in cluster:
        instance.faults.clear()
    await anyio.sleep(CALM)


def attempts(cluster: Cluster) -> Counter[tuple[int, int]]:
    """Count how often each attempt's handler was called."""
    return Counter((e.what.slot, e.what.attempt) for e in cluster.seen(Start))


def successes(history: list[RunRecord]) -> Counter[int]:
    """Count the successes that the store has of each slot."""
    return Counter(r.slot for r in history if r.status is Status.SUCCESS)


def unfinished(history: list[RunRecord]) -> list[RunRecord]:
    """Return the records without an end."""
    return [record for record in history if record.status is Status.RUNNING]


@pytest.mark.parametrize("seed", range(8))
async def test_a_storm_breaks_no_promise(seed: int) -> None:
    """No overlap, no attempt twice, one success a slot, and nothing unfinished."""
    random.seed(seed)
    async with open_cluster(keep=1_000) as cluster:
        cluster.every("sync", "1m", cluster.work(25), max_attempts=5)
        await cluster.start()
        await weather(cluster, seed, rate=0.15)
        before = len(cluster.seen(Success))
        await anyio.sleep(5 * MINUTE)
        history = await cluster.history("sync", 1_000)

        assert [] == cluster.clashes, cluster.story()
        assert {1} == set(attempts(cluster).values())
        assert {1} == set(successes(history).values())
        assert 1 >= len(unfinished(history))
        assert 4 <= len(cluster.seen(Success)[before:]) <= 6


@pytest.mark.parametrize("seed", range(4))
async def test_a_storm_over_overlapping_runs(seed: int) -> None:
    """With ``overlap="allow"`` each run keeps its promises apart from the others."""
    random.seed(seed)
    async with open_cluster(keep=1_000, overlap=Overlap.ALLOW) as cluster:
        cluster.every("sync", "1m", cluster.work(80))
        await cluster.start()
        await weather(cluster, seed, rate=0.15)
        history = await cluster.history("sync", 1_000)

        twice = [pair for pair in cluster.clashes if pair[0].slot == pair[1].slot]
        assert [] == twice, cluster.story()
        assert {1} == set(attempts(cluster).values())
        assert {1} == set(successes(history).values())
        assert 2 >= len(unfinished(history))


@pytest.mark.parametrize("seed", range(4))
async def test_a_storm_over_a_claim_only_store(seed: int) -> None:
    """Each slot's handler is called at most once, whatever happens."""
    random.seed(seed)
    async with open_cluster(leases=False, keep=1_000) as cluster:
        cluster.every("sync", "1m", cluster.work(25))
        await cluster.start()
        await weather(cluster, seed, rate=0.15)
        before = len(cluster.seen(Success))
        await anyio.sleep(5 * MINUTE)

        assert {1} == set(attempts(cluster).values())
        assert 4 <= len(cluster.seen(Success)[before:]) <= 6
