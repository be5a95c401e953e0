"""The seven situations of a real cluster, on a lease store and a claim-only one."""

import anyio
import pytest

from anarchon.events import Interrupted, Lost, Skip, Start, Success, Takeover
from anarchon.model import Reason, Status
from anarchon.testing.cluster import open_cluster
from anarchon.testing.faults import FAIL_AFTER, HANG_AFTER, Fault
from tests.engine.scenes import (
    HAND_OVER_WITHIN,
    LEASE,
    MINUTE,
    TAKEOVER_WITHIN,
    a_run,
    others,
    outline,
    slot_at,
)

pytestmark = pytest.mark.anyio

INTERRUPTED, RUNNING, SUCCESS = Status.INTERRUPTED, Status.RUNNING, Status.SUCCESS


async def test_a_long_job_runs_one_at_a_time() -> None:
    """1, leases: what is due during a run is skipped as an overlap, not queued."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "3s", cluster.work(7), jitter=0)
        await cluster.start()
        await anyio.sleep(19)

        started = [entry.what.slot for entry in cluster.seen(Start)]
        assert [slot_at(3), slot_at(12)] == started
        overlaps = {
            e.what.slot for e in cluster.seen(Skip) if e.what.reason == "overlap"
        }
        assert {slot_at(n) for n in (6, 9, 15, 18)} == overlaps
        assert [] == cluster.clashes


async def test_a_long_job_overlaps_itself_without_leases() -> None:
    """1, claim-only: each slot is a run of its own, three at once here."""
    async with open_cluster(leases=False) as cluster:
        cluster.every("sync", "3s", cluster.work(7), jitter=0)
        await cluster.start()
        await anyio.sleep(9.5)

        assert 3 == len(cluster.live_runs())
        started = [entry.what.slot for entry in cluster.seen(Start)]
        assert [slot_at(n) for n in (3, 6, 9)] == started


async def test_a_killed_runner_is_followed_by_a_backup() -> None:
    """2, leases: about a lease after the crash the run goes on as attempt 2."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        crashed = cluster.now
        runner.crash()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=5 * MINUTE)

        [takeover] = cluster.seen(Takeover)
        assert LEASE / 2 < takeover.time - crashed <= TAKEOVER_WITHIN
        assert runner.name == takeover.what.from_instance
        assert takeover.instance != runner.name
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)
        assert [Reason.TAKEOVER, Reason.SCHEDULED] == [r.reason for r in history]


async def test_a_killed_runner_leaves_a_claim_that_reads_running() -> None:
    """2, claim-only: nobody knows that the runner died, and the run is lost."""
    async with open_cluster(leases=False) as cluster:
        runner = await a_run(cluster)
        runner.crash()
        await anyio.sleep(5 * MINUTE)

        assert 1 == len(cluster.seen(Start))
        assert [(1, RUNNING)] == outline(await cluster.history("sync"))


async def test_a_frozen_runner_is_told_when_it_wakes() -> None:
    """3, leases: a backup finishes the run; the frozen one loses it, and no success."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        runner.freeze()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=TAKEOVER_WITHIN
        )
        runner.thaw()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=2 * MINUTE)

        [lost] = cluster.seen(Lost)
        [interrupted] = cluster.seen(Interrupted)
        assert (runner.name, "refused") == (lost.instance, lost.what.cause)
        assert (runner.name, 1) == (interrupted.instance, interrupted.what.attempt)
        assert not interrupted.what.handed_over
        assert [] == cluster.seen(Success, on=runner.name)
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)


@pytest.mark.parametrize(
    "fault",
    [Fault(reply_delay=1.0), Fault(reply_delay=8.0), HANG_AFTER, FAIL_AFTER],
    ids=["answered", "answered-too-late", "never-answered", "failed-before"],
)
async def test_a_runner_frozen_in_a_heartbeat_is_told_at_once(fault: Fault) -> None:
    """3, leases: what was asked before promises nothing on waking; it asks again."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, 10 * MINUTE)
        runner.faults.script("heartbeat", fault)
        beats = runner.faults.calls["heartbeat"]
        while runner.faults.calls["heartbeat"] == beats:
            await anyio.sleep(0.1)
        runner.freeze()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=TAKEOVER_WITHIN
        )
        woken = cluster.now
        runner.thaw()
        await cluster.wait_for(lambda: bool(cluster.seen(Lost)), within=MINUTE)

        [lost] = cluster.seen(Lost)
        assert (runner.name, "refused") == (lost.instance, lost.what.cause)
        assert woken == lost.time


async def test_a_frozen_runner_that_hears_nothing_on_waking_asks_but_once() -> None:
    """3, leases: no answer is a loss by silence, even if it is frozen once more."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster, 10 * MINUTE)
        runner.faults.always(HANG_AFTER, "heartbeat")
        woken = cluster.now
        for _ in range(2):
            beats = runner.faults.calls["heartbeat"]
            while runner.faults.calls["heartbeat"] == beats:
                await anyio.sleep(0.1)
            assert [] == cluster.seen(Lost)
            runner.freeze()
            await anyio.sleep(2 * LEASE)
            woken = cluster.now
            runner.thaw()
        await cluster.wait_for(lambda: bool(cluster.seen(Lost)), within=MINUTE)

        [lost] = cluster.seen(Lost)
        assert (runner.name, "silence") == (lost.instance, lost.what.cause)
        assert woken == lost.time


async def test_a_frozen_runner_goes_on_without_leases() -> None:
    """3, claim-only: the run waits for its runner and ends when that wakes."""
    async with open_cluster(leases=False) as cluster:
        runner = await a_run(cluster)
        runner.freeze()
        await anyio.sleep(3 * MINUTE)
        runner.thaw()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=1)

        assert 1 == len(cluster.seen(Start))
        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))


@pytest.mark.parametrize("leases", [True, False])
async def test_another_instance_restarts_and_the_run_happens_once(
    leases: bool,
) -> None:
    """4, both: the restarted instance finds the slot taken and leaves it alone."""
    async with open_cluster(leases=leases) as cluster:
        runner = await a_run(cluster, period=2 * MINUTE)
        for other in others(cluster, runner):
            await other.restart()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=2 * MINUTE)

        slot = cluster.seen(Success)[0].what.slot
        assert [1] == [
            e.what.attempt for e in cluster.seen(Start) if e.what.slot == slot
        ]
        assert [] == cluster.clashes


async def test_a_restarted_instance_is_a_backup_again() -> None:
    """4, leases: it takes over, though it was not there when the run began."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        runner = await a_run(cluster)
        [other] = others(cluster, runner)
        await other.restart()
        runner.crash()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover, on=other.name)), within=TAKEOVER_WITHIN
        )


async def test_a_stopped_runner_hands_over() -> None:
    """5, leases: attempt 2 starts within two heartbeats and costs the run nothing."""
    async with open_cluster(catch_up=0, max_attempts=1) as cluster:
        runner = await a_run(cluster)
        await runner.stop()
        [interrupted] = cluster.seen(Interrupted)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=5 * MINUTE)

        [takeover] = cluster.seen(Takeover)
        assert interrupted.what.handed_over
        assert not interrupted.what.final
        assert 0 < takeover.time - interrupted.time <= HAND_OVER_WITHIN
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)
        assert [False, True] == [record.handed_over for record in history]


async def test_a_stopped_runner_ends_its_run_without_leases() -> None:
    """5, claim-only: its record says interrupted, and no other instance goes on."""
    async with open_cluster(leases=False) as cluster:
        runner = await a_run(cluster)
        await runner.stop()
        await anyio.sleep(5 * MINUTE)

        [interrupted] = cluster.seen(Interrupted)
        assert not interrupted.what.handed_over
        assert 1 == len(cluster.seen(Start))
        assert [(1, INTERRUPTED)] == outline(await cluster.history("sync"))


@pytest.mark.parametrize("away", [5.0, 2 * MINUTE])
async def test_a_full_restart_finds_the_unfinished_run(away: float) -> None:
    """6, leases: whether its lease still runs or not, one instance goes on with it."""
    async with open_cluster(catch_up=0) as cluster:
        await a_run(cluster)
        crashed = cluster.now
        cluster.crash()
        await anyio.sleep(away)
        await cluster.start()
        back = cluster.now
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)

        [takeover] = cluster.seen(Takeover)
        assert takeover.time <= max(crashed + TAKEOVER_WITHIN, back + HAND_OVER_WITHIN)
        history = await cluster.history("sync")
        assert [(1, INTERRUPTED), (2, SUCCESS)] == outline(history)
        assert [] == cluster.clashes


async def test_a_full_restart_loses_the_run_without_leases() -> None:
    """6, claim-only: the claim stands, so nobody runs the slot again."""
    async with open_cluster(leases=False) as cluster:
        await a_run(cluster)
        cluster.crash()
        await anyio.sleep(5)
        await cluster.start()
        await anyio.sleep(5 * MINUTE)

        assert 1 == len(cluster.seen(Start))
        assert [(1, RUNNING)] == outline(await cluster.history("sync"))


async def test_a_slot_that_all_missed_is_caught_up_once() -> None:
    """7, leases: the latest slot is run after the outage, by one instance."""
    async with open_cluster() as cluster:
        cluster.every("sync", "1h", cluster.work(10), offset="1m")
        await cluster.start()
        cluster.crash()
        await anyio.sleep(3 * MINUTE)
        await cluster.start()
        await anyio.sleep(2 * MINUTE)

        [start] = cluster.seen(Start)
        assert (slot_at(MINUTE), Reason.CATCH_UP) == (
            start.what.slot,
            start.what.reason,
        )
        assert [(1, SUCCESS)] == outline(await cluster.history("sync"))


async def test_an_hour_of_outage_is_one_run_to_catch_up() -> None:
    """7, leases: sixty missed slots are one run, not sixty."""
    async with open_cluster() as cluster:
        cluster.every("sync", "1m", cluster.work(1))
        await cluster.start()
        await anyio.sleep(90)
        cluster.crash()
        before = len(cluster.seen(Start))
        await anyio.sleep(60 * MINUTE)
        await cluster.start()
        await anyio.sleep(20)

        [start] = cluster.seen(Start)[before:]
        assert (slot_at(61 * MINUTE), Reason.CATCH_UP) == (
            start.what.slot,
            start.what.reason,
        )


async def test_a_slot_older_than_catch_up_is_let_go() -> None:
    """7, leases: what was missed too long ago is not run."""
    async with open_cluster(catch_up=100) as cluster:
        await anyio.sleep(3 * MINUTE)
        cluster.every("sync", "1h", cluster.work(10), offset="1m")
        await cluster.start()
        await anyio.sleep(5 * MINUTE)

        assert [] == cluster.seen(Start)


async def test_a_slot_that_all_missed_never_runs_without_leases() -> None:
    """7, claim-only: there is no catch-up."""
    async with open_cluster(leases=False) as cluster:
        await anyio.sleep(3 * MINUTE)
        cluster.every("sync", "1h", cluster.work(10), offset="1m")
        await cluster.start()
        await anyio.sleep(5 * MINUTE)

        assert [] == cluster.seen(Start)
