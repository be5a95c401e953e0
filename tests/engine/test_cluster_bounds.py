"""How long a takeover and a hand-over take: the promised bounds, over many chances."""

import random
from functools import partial

import anyio
import pytest

from anarchon.events import Interrupted, Start, Takeover
from anarchon.testing.cluster import Cluster, open_cluster
from tests.engine.scenes import (
    HAND_OVER_WITHIN,
    HEARTBEAT,
    LEASE,
    MINUTE,
    TAKEOVER_WITHIN,
    a_run,
    others,
)

pytestmark = pytest.mark.anyio

SEEDS = range(10)


def attempt_began(cluster: Cluster, attempt: int) -> bool:
    """Tell whether the handler was called for this attempt."""
    return attempt in {entry.what.attempt for entry in cluster.seen(Start)}


async def takeover_time(cluster: Cluster) -> float:
    """Wait for a takeover; return when it was."""
    await cluster.wait_for(lambda: bool(cluster.seen(Takeover)), within=2 * MINUTE)
    return cluster.seen(Takeover)[0].time


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_takeover_comes_within_a_lease_and_two_heartbeats(seed: int) -> None:
    """Counted from the crash: not before the lease ran out, and not after the bound."""
    random.seed(seed)
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(random.uniform(0, 20))
        crashed = cluster.now
        runner.crash()

        waited = await takeover_time(cluster) - crashed

        assert LEASE - HEARTBEAT < waited <= TAKEOVER_WITHIN


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_takeover_usually_comes_right_after_the_lease(seed: int) -> None:
    """A backup that knows the lease's end asks within a quarter of a heartbeat."""
    random.seed(seed)
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(2 * HEARTBEAT)
        runner.crash()
        await takeover_time(cluster)

        [takeover] = cluster.seen(Takeover)
        assert takeover.what.waited is not None
        assert 0 <= takeover.what.waited <= HEARTBEAT / 4


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_hand_over_is_found_within_two_heartbeats(seed: int) -> None:
    """Counted from the release: a backup starts the next attempt."""
    random.seed(seed)
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(random.uniform(0, 20))
        await runner.stop()

        [interrupted] = cluster.seen(Interrupted)
        waited = await takeover_time(cluster) - interrupted.time

        assert 0 < waited <= HAND_OVER_WITHIN


async def test_short_leases_keep_the_bound() -> None:
    """The bound holds for the shortest lease that is allowed, three heartbeats."""
    async with open_cluster(catch_up=0, lease=1.5, heartbeat=0.5) as cluster:
        runner = await a_run(cluster)
        crashed = cluster.now
        runner.crash()

        assert await takeover_time(cluster) - crashed <= 1.5 + 2 * 0.5


async def test_attempts_are_used_up_by_crashes() -> None:
    """After three lost runners a run ends for good, and somebody says so once."""
    async with open_cluster(instances=4, catch_up=0) as cluster:
        await a_run(cluster, seconds=5 * MINUTE)
        for attempt in (1, 2, 3):
            await cluster.wait_for(
                partial(attempt_began, cluster, attempt), within=TAKEOVER_WITHIN
            )
            cluster.runner("sync").crash()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Interrupted)), within=TAKEOVER_WITHIN
        )
        await anyio.sleep(2 * MINUTE)

        [ended] = cluster.seen(Interrupted)
        assert ended.what.final
        assert 3 == ended.what.attempt
        assert 3 == len(cluster.seen(Start))


async def test_hand_overs_use_up_no_attempt() -> None:
    """A rolling deploy may stop every runner, again and again."""
    async with open_cluster(catch_up=0, max_attempts=1) as cluster:
        await a_run(cluster, seconds=5 * MINUTE)
        for _ in range(6):
            runner = cluster.runner("sync")
            await runner.stop()
            await runner.start()
            await cluster.wait_for(
                lambda: bool(cluster.live_runs()), within=HAND_OVER_WITHIN
            )

        assert 7 == max(entry.what.attempt for entry in cluster.seen(Start))
        assert [] == cluster.clashes


async def test_a_takeover_by_the_only_other_instance() -> None:
    """Two instances are enough for a backup."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        runner = await a_run(cluster)
        [other] = others(cluster, runner)
        runner.crash()
        await cluster.wait_for(lambda: bool(other.runs), within=TAKEOVER_WITHIN)

        assert 2 == other.runs[0].attempt


async def test_an_instance_finds_its_own_lost_run_after_a_restart() -> None:
    """A cluster of one takes over from itself."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        runner = await a_run(cluster)
        crashed = cluster.now
        await runner.restart()

        assert await takeover_time(cluster) - crashed <= TAKEOVER_WITHIN
