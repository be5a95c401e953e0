"""Instances that can't reach the store: lost by silence, taken over, and back again."""

import anyio
import pytest

from anarchon import RunContext
from anarchon.events import Error, Failure, Interrupted, Lost, Start, Success, Takeover
from anarchon.model import Status
from anarchon.testing.cluster import open_cluster
from anarchon.testing.faults import HANG_BEFORE
from tests.engine.scenes import (
    HEARTBEAT,
    LEASE,
    MINUTE,
    TAKEOVER_WITHIN,
    a_run,
    others,
    outline,
)

pytestmark = pytest.mark.anyio

INTERRUPTED, SUCCESS = Status.INTERRUPTED, Status.SUCCESS
# a call is given up after this long
CALL = 5.0

silently = pytest.mark.parametrize("silent", [True, False])


@silently
async def test_a_runner_cut_off_ends_before_a_backup_begins(silent: bool) -> None:
    """Its trust in the lease ends first; so no two handlers are ever at work."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(2 * HEARTBEAT)
        cut = cluster.now
        runner.partition(silent=silent)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)

        [lost] = cluster.seen(Lost)
        [takeover] = cluster.seen(Takeover)
        assert (runner.name, "silence") == (lost.instance, lost.what.cause)
        assert cut + LEASE - HEARTBEAT < lost.time <= cut + LEASE
        assert lost.time <= takeover.time <= cut + TAKEOVER_WITHIN
        assert [] == cluster.clashes
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)


@silently
async def test_a_runner_back_within_its_lease_notices_nothing(silent: bool) -> None:
    """A partition shorter than the lease costs heartbeats, and no run."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(2 * HEARTBEAT)
        runner.partition(silent=silent)
        await anyio.sleep(LEASE - 2 * HEARTBEAT - CALL)
        runner.heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=2 * MINUTE)

        assert [] == cluster.seen(Lost)
        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))


async def test_a_lost_runner_tells_one_loss_and_no_success() -> None:
    """After ``lost`` comes ``interrupted``, once each, also when the store is back."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        runner.partition()
        await anyio.sleep(TAKEOVER_WITHIN)
        runner.heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)
        await anyio.sleep(2 * MINUTE)

        told = [e.what.name for e in cluster.events if e.instance == runner.name]
        assert ["start", "lost", "interrupted"] == [n for n in told if n != "error"]
        assert 1 == len(cluster.seen(Success))


async def test_a_lost_runner_becomes_the_backup() -> None:
    """Once it reaches the store again, it takes over if its taker dies."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        first = await a_run(cluster, seconds=3 * MINUTE)
        [second] = others(cluster, first)
        first.partition()
        await cluster.wait_for(lambda: bool(second.runs), within=TAKEOVER_WITHIN)
        first.heal()
        await anyio.sleep(2 * HEARTBEAT)
        second.crash()
        await cluster.wait_for(lambda: bool(first.runs), within=TAKEOVER_WITHIN)

        assert 3 == first.runs[0].attempt


async def test_going_on_without_contact_is_settled_when_the_store_is_back() -> None:
    """With ``continue`` the handler goes on, and its late success is refused."""
    async with open_cluster(catch_up=0, on_lost_contact="continue") as cluster:
        runner = await a_run(cluster, seconds=MINUTE)
        runner.partition()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=TAKEOVER_WITHIN
        )
        assert runner.runs
        runner.heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)

        [lost] = cluster.seen(Lost)
        assert (runner.name, "refused") == (lost.instance, lost.what.cause)
        assert [2] == [entry.what.attempt for entry in cluster.seen(Success)]


@silently
async def test_a_store_away_for_two_leases_costs_no_attempt(silent: bool) -> None:
    """With ``continue``, a run that nobody took over is its runner's again."""
    async with open_cluster(catch_up=0, on_lost_contact="continue") as cluster:
        runner = await a_run(cluster, seconds=2 * MINUTE)
        for instance in cluster:
            instance.partition(silent=silent)
        await anyio.sleep(2 * LEASE)
        runner.heal()
        await anyio.sleep(2 * CALL)
        for instance in others(cluster, runner):
            instance.heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=2 * MINUTE)

        assert [] == cluster.seen(Lost)
        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))


@silently
async def test_a_store_away_at_the_finish_costs_no_second_run(silent: bool) -> None:
    """A success that can't be written for nearly a lease is written in the end."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, seconds=10)
        await anyio.sleep(9)
        for instance in cluster:
            instance.partition(silent=silent)
        await anyio.sleep(2 * LEASE)
        runner.heal()
        await anyio.sleep(2 * CALL)
        for instance in others(cluster, runner):
            instance.heal()
        await anyio.sleep(2 * MINUTE)

        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))
        assert [1] == [entry.what.attempt for entry in cluster.seen(Start)]
        assert 1 == len(cluster.seen(Success))


async def test_a_finish_that_is_never_answered_keeps_its_lease() -> None:
    """Heartbeats go on while a finish is asked for, so nobody runs the job again."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, seconds=10)
        runner.faults.always(HANG_BEFORE, "finish")
        await anyio.sleep(10 + 2 * LEASE)
        assert [] == cluster.seen(Takeover)
        runner.faults.clear()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=2 * CALL)

        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))


@silently
async def test_a_store_that_was_away_is_used_again(silent: bool) -> None:
    """After an outage every instance schedules as before: none is alive and silent."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(2.5 * MINUTE)
        for instance in cluster:
            instance.partition(silent=silent)
        await anyio.sleep(10 * MINUTE)
        for instance in cluster:
            instance.heal()
        before = len(cluster.seen(Success))
        await anyio.sleep(20 * MINUTE)

        # the slot half a minute before the end of the outage could still start
        after = cluster.seen(Success)[before:]
        assert 21 == len(after)
        assert {"A", "B", "C"} == {entry.instance for entry in after}
        assert {"A", "B", "C"} == {entry.instance for entry in cluster.seen(Error)}


async def test_a_short_outage_at_the_slot_costs_no_slot() -> None:
    """A claim that fails is asked again while the run may still start."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "10m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(10 * MINUTE - 5)
        for instance in cluster:
            instance.partition(silent=True)
        await anyio.sleep(40)
        for instance in cluster:
            instance.heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=20)

        assert 1 == len(cluster.seen(Start))


@silently
@pytest.mark.parametrize("leases", [True, False])
async def test_stopping_without_the_store_is_bounded(
    leases: bool, silent: bool
) -> None:
    """A stop takes its timeout and five seconds for closing, and not more."""
    async with open_cluster(instances=1, leases=leases, stop_timeout=10) as cluster:
        await a_run(cluster)
        cluster["A"].partition(silent=silent)
        began = cluster.now
        await cluster["A"].stop()

        assert cluster.now - began <= 10 + 5
        assert 1 == len(cluster.seen(Interrupted))


async def test_a_handler_that_fails_behind_a_partition_has_failed() -> None:
    """An error is told as a failure though it can only be written later."""
    async with open_cluster(instances=1, catch_up=0) as cluster:

        async def fail(ctx: RunContext) -> None:
            await cluster[ctx.instance_id].sleep(10)
            raise LookupError("gone")

        cluster.every("sync", "10m", fail)
        await cluster.start()
        await cluster.wait_for(lambda: bool(cluster.live_runs()), within=11 * MINUTE)
        cluster["A"].partition()
        await anyio.sleep(20)
        cluster["A"].heal()
        await cluster.wait_for(lambda: bool(cluster.seen(Failure)), within=20)

        [record] = await cluster.history("sync")
        assert (Status.FAILED, "LookupError: gone") == (record.status, record.error)
