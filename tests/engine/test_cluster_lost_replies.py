"""Each call of an instance fails, hangs, is delayed or doubled: no run suffers."""

import anyio
import pytest

from anarchon.events import Interrupted, Lost, Start, Success, Takeover
from anarchon.model import Status
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    Fault,
)
from anarchon.testing.instance import Instance
from tests.engine.scenes import (
    HAND_OVER_WITHIN,
    JITTER,
    LEASE,
    MINUTE,
    a_run,
    outline,
    slot_at,
)

pytestmark = pytest.mark.anyio

FAULTS = {
    "request-fails": FAIL_BEFORE,
    "reply-fails": FAIL_AFTER,
    "request-hangs": HANG_BEFORE,
    "reply-hangs": HANG_AFTER,
    "request-slow": Fault(request_delay=4.0),
    "reply-slow": Fault(reply_delay=4.0),
    "request-too-slow": Fault(request_delay=8.0),
    "copied": Fault(copy_after=3.0),
    "copied-much-later": Fault(copy_after=90.0),
}
OPERATIONS = ("time", "prepare", "unfinished", "claim", "heartbeat", "finish")

with_each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)


def meet(cluster: Cluster, operation: str, *faults: Fault) -> None:
    """Let the next calls of every instance meet these faults."""
    for instance in cluster:
        instance.faults.script(operation, *faults)


@with_each_fault
@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_run_happens_once(operation: str, fault: Fault) -> None:
    """Whatever becomes of two calls, each slot has one attempt and one success."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(20))
        await cluster.start()
        meet(cluster, operation, fault, fault)
        await anyio.sleep(4.9 * MINUTE)

        started = [(e.what.slot, e.what.attempt) for e in cluster.seen(Start)]
        assert [(slot_at(n * MINUTE), 1) for n in range(1, 5)] == started
        assert 4 == len(cluster.seen(Success))
        assert [] == cluster.clashes
        history = await cluster.history("sync")
        assert [Status.SUCCESS] * 4 == [record.status for record in history]


@with_each_fault
@pytest.mark.parametrize("operation", ["claim", "finish"])
async def test_a_run_happens_once_without_leases(operation: str, fault: Fault) -> None:
    """A claim-only store, too, is asked again with the same token."""
    async with open_cluster(leases=False) as cluster:
        cluster.every("sync", "1m", cluster.work(20))
        await cluster.start()
        meet(cluster, operation, fault, fault)
        await anyio.sleep(4.9 * MINUTE)

        started = [entry.what.slot for entry in cluster.seen(Start)]
        assert [slot_at(n * MINUTE) for n in range(1, 5)] == started
        history = await cluster.history("sync")
        assert [Status.SUCCESS] * 4 == [record.status for record in history]


@with_each_fault
async def test_a_hand_over_survives(fault: Fault) -> None:
    """A release whose answer is lost, or that comes twice, is still a hand-over."""
    async with open_cluster(catch_up=0, max_attempts=1) as cluster:
        runner = await a_run(cluster, seconds=2 * MINUTE)
        runner.faults.script("release", fault, fault)
        await runner.stop()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=HAND_OVER_WITHIN
        )
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)

        history = await cluster.history("sync")
        assert [(1, Status.INTERRUPTED), (2, Status.SUCCESS)] == outline(history)
        assert [False, True] == [record.handed_over for record in history]
        assert 1 == len(cluster.seen(Interrupted))
        assert [] == cluster.clashes


@with_each_fault
async def test_a_takeover_survives(fault: Fault) -> None:
    """A takeover whose answer is lost is asked for again, and gets one attempt."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        runner.crash()
        meet(cluster, "claim", *[fault] * 8)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=4 * MINUTE)

        assert [(1, Status.INTERRUPTED), (2, Status.SUCCESS)] == outline(
            await cluster.history("sync")
        )
        assert [1, 2] == [entry.what.attempt for entry in cluster.seen(Start)]


@with_each_fault
async def test_a_recovery_survives(fault: Fault) -> None:
    """An instance that starts while the store falters still finds what was left."""
    async with open_cluster(instances=1) as cluster:
        runner = await a_run(cluster)
        runner.crash()
        runner.faults.script("claim", fault, fault)
        await runner.start()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=4 * MINUTE)

        assert [1, 2] == [entry.what.attempt for entry in cluster.seen(Start)]


async def test_a_success_whose_answer_was_lost_is_told_as_a_success() -> None:
    """A refusal to a heartbeat after a finish only shows that the finish arrived."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, seconds=10)
        runner.faults.script("finish", *[HANG_AFTER] * 3)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=MINUTE)

        assert [] == cluster.seen(Lost)
        assert [] == cluster.seen(Takeover)


async def test_a_copied_claim_brings_no_dead_run_back() -> None:
    """A late copy of a claim that had won prolongs no lease and wins no attempt."""
    async with open_cluster(catch_up=0) as cluster:
        meet(cluster, "claim", *[Fault(copy_after=20.0)] * 40)
        runner = await a_run(cluster)
        crashed = cluster.now
        runner.crash()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=4 * MINUTE)

        [takeover] = cluster.seen(Takeover)
        assert takeover.time - crashed <= 40
        assert [(1, Status.INTERRUPTED), (2, Status.SUCCESS)] == outline(
            await cluster.history("sync")
        )


async def test_a_copied_heartbeat_keeps_no_hand_over_back() -> None:
    """A heartbeat that arrives after the release revives nothing."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, seconds=2 * MINUTE)
        runner.faults.always(Fault(copy_after=3.0), "heartbeat")
        await anyio.sleep(20)
        await runner.stop()

        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=HAND_OVER_WITHIN
        )


async def test_a_run_that_was_lost_while_asking_for_it_is_not_begun() -> None:
    """Who stands still with a win, and again with the next answer, asks once more."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        cluster.every("sync", 10 * MINUTE, cluster.work(MINUTE))
        slow = cluster["A"]
        await slow.start()
        for operation in ("claim", "heartbeat"):
            slow.faults.script(operation, Fault(reply_delay=3.0))
        await anyio.sleep(10 * MINUTE + JITTER)
        await _freeze(slow, 2 * LEASE)
        await anyio.sleep(1)
        await cluster["B"].start()
        await _freeze(slow, 2 * LEASE)
        await anyio.sleep(MINUTE)

        assert ["B"] == [entry.instance for entry in cluster.seen(Start)]
        assert [] == cluster.clashes


async def _freeze(instance: Instance, seconds: float) -> None:
    instance.freeze()
    await anyio.sleep(seconds)
    instance.thaw()
