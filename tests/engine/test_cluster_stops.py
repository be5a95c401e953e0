"""Stopping in the middle of something: bounded, quiet afterwards, and nothing lost."""

from itertools import pairwise

import anyio
import pytest

from anarchon.events import Interrupted, Start, Success, Takeover
from anarchon.model import Overlap, Status
from anarchon.testing.cluster import open_cluster
from anarchon.testing.faults import FAIL_AFTER, HANG_AFTER, HANG_BEFORE, Fault
from tests.engine.scenes import HAND_OVER_WITHIN, MINUTE, a_run, others, outline

pytestmark = pytest.mark.anyio

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
CLOSING = 5.0


async def test_a_stop_while_a_taken_slot_is_asked_for() -> None:
    """The answer comes with the stop, and makes no backup any more."""
    async with open_cluster(instances=2, catch_up=0, jitter=0) as cluster:
        cluster["B"].faults.always(Fault(request_delay=2.0), "claim")
        await a_run(cluster, period=MINUTE)
        await anyio.sleep(1)
        await cluster["B"].stop()
        sent = cluster["B"].faults.calls.total()
        await anyio.sleep(5 * MINUTE)

        assert sent == cluster["B"].faults.calls.total()
        assert 4 <= len(cluster.seen(Success, on="A"))


@pytest.mark.parametrize("overlap", Overlap)
async def test_a_stop_while_an_overlap_is_asked_for(overlap: Overlap) -> None:
    """A claim that is answered ``overlap`` while stopping leaves nothing behind."""
    async with open_cluster(instances=2, catch_up=0, jitter=0) as cluster:
        cluster.every("sync", "1m", cluster.work(90), overlap=overlap)
        await cluster.start()
        await anyio.sleep(MINUTE + 30)
        for instance in cluster:
            instance.faults.always(Fault(request_delay=2.0), "claim")
        await anyio.sleep(31)
        await cluster["A"].stop()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=5 * MINUTE)

        assert (overlap is Overlap.SKIP) == (cluster.clashes == [])


async def test_a_run_won_while_stopping_is_handed_over() -> None:
    """It doesn't start here, costs no attempt, and a backup has it at once."""
    async with open_cluster(instances=2, catch_up=0, jitter=0) as cluster:
        cluster.every("sync", "10m", cluster.work(10), max_attempts=1)
        await cluster.start()
        cluster["A"].faults.script("claim", Fault(reply_delay=3.0))
        cluster["B"].faults.script("claim", Fault(request_delay=3.0))
        await anyio.sleep(10 * MINUTE + 1)
        await cluster["A"].stop()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=MINUTE)

        assert [] == cluster.seen(Start, on="A")
        [interrupted] = cluster.seen(Interrupted)
        assert ("A", True) == (interrupted.instance, interrupted.what.handed_over)
        [takeover] = cluster.seen(Takeover)
        assert takeover.time - interrupted.time <= HAND_OVER_WITHIN
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)


async def test_a_claim_without_an_answer_is_released_at_the_stop() -> None:
    """Whether it had won or not, nobody waits for a lease that nobody holds."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        cluster.every("sync", "10m", cluster.work(10))
        await cluster.start()
        cluster["A"].faults.always(HANG_AFTER, "claim")
        cluster["B"].freeze()
        await anyio.sleep(10 * MINUTE + 12)
        cluster["B"].thaw()
        await cluster["A"].stop()
        stopped = cluster.now
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=MINUTE)

        [takeover] = cluster.seen(Takeover)
        assert takeover.time - stopped <= HAND_OVER_WITHIN


@pytest.mark.parametrize("limit", [1.0, 10.0])
async def test_a_stop_is_bounded_though_no_release_is_answered(limit: float) -> None:
    """After its timeout and five seconds for closing a stop is over."""
    async with open_cluster(catch_up=0, stop_timeout=limit) as cluster:
        runner = await a_run(cluster)
        runner.faults.always(HANG_BEFORE, "release")
        began = cluster.now
        await runner.stop()

        assert cluster.now - began <= limit + CLOSING


async def test_nothing_is_sent_after_a_stop() -> None:
    """Neither calls nor heartbeats nor watches go on."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        for instance in [runner, *others(cluster, runner)]:
            await instance.stop()
        sent = [instance.faults.calls.total() for instance in cluster]
        await anyio.sleep(20 * MINUTE)

        assert sent == [instance.faults.calls.total() for instance in cluster]


async def test_a_rolling_deploy_loses_no_slot() -> None:
    """Instances that are stopped and started in turn run every slot to its success."""
    async with open_cluster(keep=1_000) as cluster:
        cluster.every("sync", "1m", cluster.work(8), max_attempts=1)
        await cluster.start()
        for _ in range(10):
            for instance in cluster:
                await anyio.sleep(19)
                await instance.stop()
                await anyio.sleep(3)
                await instance.start()
        await anyio.sleep(2 * MINUTE)

        slots = [entry.what.slot for entry in cluster.seen(Success)]
        assert 10 <= len(slots)
        assert {60_000} == {newer - older for older, newer in pairwise(slots)}
        assert [] == cluster.clashes


async def test_a_restart_through_the_public_api() -> None:
    """The scheduler of an instance may be stopped and started without a new one."""
    async with open_cluster(instances=1) as cluster:
        await a_run(cluster, seconds=5, period=MINUTE)
        await cluster["A"].scheduler.stop()
        await anyio.sleep(10 * MINUTE)
        before = len(cluster.seen(Success))
        await cluster["A"].scheduler.start()
        await anyio.sleep(2 * MINUTE)

        assert 2 <= len(cluster.seen(Success)[before:]) <= 3


async def test_a_finish_at_the_stop_stays_a_success() -> None:
    """A handler that had returned before the stop is a success, however late told."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, seconds=10)
        runner.faults.script("finish", FAIL_AFTER, HANG_AFTER)
        await anyio.sleep(10.5)
        await runner.stop()

        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))
        assert 1 == len(cluster.seen(Success))
