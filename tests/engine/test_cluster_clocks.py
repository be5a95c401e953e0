"""Wrong clocks, drifting and stepped: nothing is repeated and nothing lost."""

import anyio
import pytest

from anarchon.events import ClockSkew, Error, Skip, Start, Success, Takeover
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.faults import Fault
from tests.engine.scenes import (
    HEARTBEAT,
    HOUR,
    JITTER,
    LEASE,
    MINUTE,
    TAKEOVER_WITHIN,
    a_run,
    slot_at,
)

pytestmark = pytest.mark.anyio


def slots_of(cluster: Cluster) -> list[int]:
    """Return the slots whose handlers were called, in order."""
    return [entry.what.slot for entry in cluster.seen(Start)]


def every_minute(first: int, last: int) -> list[int]:
    """Return the slots of these minutes of the loop's time."""
    return [slot_at(n * MINUTE) for n in range(first, last + 1)]


@pytest.mark.parametrize("offset", [-HOUR, -45.0, -1.5, 1.5, 90.0, HOUR])
async def test_a_wrong_clock_costs_no_slot(offset: float) -> None:
    """An instance whose clock is wrong runs its slots by the store's clock."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster["A"].clock.step(offset)
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(10.5 * MINUTE)

        assert every_minute(1, 10) == slots_of(cluster)
        for entry in cluster.seen(Start):
            due = (entry.what.slot - slot_at(0)) / 1000
            assert 0 <= entry.time - due <= JITTER + 0.1


@pytest.mark.parametrize("offset", [-90.0, 90.0])
async def test_a_wrong_clock_that_slept_repeats_no_skip(offset: float) -> None:
    """After a sleep the store is asked for the time before any slot is looked for."""
    async with open_cluster(instances=2, catch_up=0, heartbeat=1) as cluster:
        cluster["B"].clock.step(offset)
        cluster.every("sync", "30s", cluster.work(1))
        await cluster.start()
        await anyio.sleep(75)
        cluster["B"].freeze()
        await anyio.sleep(20)
        cluster["B"].thaw(suspended=True)
        await anyio.sleep(3 * MINUTE)

        looked_at = [
            entry.what.slot
            for kind in (Start, Skip)
            for entry in cluster.seen(kind, on="B")
        ]
        assert sorted(set(looked_at)) == sorted(looked_at)


async def test_an_estimate_that_gets_better_repeats_no_slot() -> None:
    """What was told by slow replies is seconds off; to correct that is no step back."""
    async with open_cluster(instances=1, catch_up=0, jitter=0) as cluster:
        cluster.every("sync", 30, cluster.work(5))
        cluster.every("other", 10 * MINUTE, cluster.work(5), offset=31)
        cluster["A"].faults.always(Fault(request_delay=3.0))
        await cluster.start()
        await anyio.sleep(29 - cluster.now)
        cluster["A"].faults.clear()
        await anyio.sleep(MINUTE)

        assert [] == cluster.seen(Skip)


@pytest.mark.parametrize("offset", [-90.0, 90.0])
async def test_a_wrong_clock_among_right_ones_repeats_nothing(offset: float) -> None:
    """However the others' clocks stand, each slot is run once and in its time."""
    async with open_cluster(catch_up=0) as cluster:
        cluster["C"].clock.step(offset)
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(20.5 * MINUTE)

        assert every_minute(1, 20) == slots_of(cluster)
        assert cluster.seen(Start, on="C")
        assert [] == cluster.clashes


@pytest.mark.parametrize("instances", [1, 3])
@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_an_instances_clock_stepped_and_back(step: float, instances: int) -> None:
    """Stepped by an hour in the middle, and back: no slot is repeated or lost."""
    async with open_cluster(instances=instances, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(5.5 * MINUTE)
        cluster["A"].clock.step(step)
        await anyio.sleep(5 * MINUTE)
        cluster["A"].clock.step(-step)
        await anyio.sleep(5 * MINUTE)

        assert every_minute(1, 15) == slots_of(cluster)
        assert 15 == len(cluster.seen(Success))


@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_a_step_during_a_run_leaves_it_alone(step: float) -> None:
    """A runner whose own clock is set goes on: its lease is the store's."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        runner.clock.step(step)
        await anyio.sleep(20)
        runner.clock.step(-step)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=MINUTE)

        assert 1 == len(cluster.seen(Start))
        assert [] == cluster.seen(Takeover)


async def test_a_skewed_clock_is_told_and_told_again_when_it_is_right() -> None:
    """``clock_skew`` comes when the offset passes a second, and when it is back."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(2.5 * MINUTE)
        assert [] == cluster.seen(ClockSkew)
        cluster["A"].clock.step(-90)
        await anyio.sleep(3 * MINUTE)
        cluster["A"].clock.step(90)
        await anyio.sleep(3 * MINUTE)

        skewed, right = (entry.what.offset for entry in cluster.seen(ClockSkew))
        assert 90 == pytest.approx(skewed, abs=0.1)
        assert 0 == pytest.approx(right, abs=0.1)


@pytest.mark.parametrize("rate", [0.99, 1.01])
async def test_a_drifting_clock_follows_the_store(rate: float) -> None:
    """A clock that gains or loses 36 s in an hour runs each slot in its time."""
    async with open_cluster(instances=1, catch_up=0, jitter=0) as cluster:
        cluster["A"].clock.rate = rate
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(60.5 * MINUTE)

        assert every_minute(1, 60) == slots_of(cluster)
        late = [e.time - (e.what.slot - slot_at(0)) / 1000 for e in cluster.seen(Start)]
        assert -0.001 < min(late)
        assert max(late) < 1


@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_the_stores_clock_stepped_and_back_repeats_nothing(step: float) -> None:
    """No slot's handler is called twice, and all goes on once the clock is right."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(5.5 * MINUTE)
        cluster.store_clock.step(step)
        await anyio.sleep(5 * MINUTE)
        cluster.store_clock.step(-step)
        await anyio.sleep(HOUR)
        slots = slots_of(cluster)
        await anyio.sleep(5 * MINUTE)

        assert len(slots) == len(set(slots))
        assert every_minute(71, 75) == slots_of(cluster)[-5:]
        assert [] == cluster.clashes


@pytest.mark.parametrize("step", [3.0, -3.0])
async def test_a_step_of_the_stores_clock_is_believed_at_the_next_reply(
    step: float,
) -> None:
    """A slower reply that contradicts the estimate ends it; slots are in time again."""
    async with open_cluster(instances=1, catch_up=0, jitter=0) as cluster:
        cluster.every("sync", "10s", cluster.work(1))
        await cluster.start()
        await anyio.sleep(25)
        cluster.store_clock.step(step)
        cluster["A"].faults.always(Fault(reply_delay=0.2))
        await anyio.sleep(45)

        behind = [
            entry.time + step - (entry.what.slot - slot_at(0)) / 1000
            for entry in cluster.seen(Start)
            if entry.time > 45
        ]
        assert 2 <= len(behind)
        assert 0 <= min(behind)
        assert max(behind) < 0.5


async def test_a_newest_slot_in_the_future_is_told() -> None:
    """After the store's clock went back an hour, an error says why nothing runs."""
    async with open_cluster(catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(5.5 * MINUTE)
        cluster.store_clock.step(-HOUR)
        before = len(cluster.seen(Start))
        await anyio.sleep(10 * MINUTE)

        assert before == len(cluster.seen(Start))
        errors = [entry.what.error for entry in cluster.seen(Error)]
        assert any("ahead of the store's clock" in error for error in errors)


@pytest.mark.parametrize("dead", [0.0, 10.0])
@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_a_dead_runners_run_is_taken_over_after_a_step(
    step: float, dead: float
) -> None:
    """A step of the store's clock keeps no run from its next attempt."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        await anyio.sleep(HEARTBEAT)
        runner.crash()
        await anyio.sleep(dead)
        stepped = cluster.now
        cluster.store_clock.step(step)
        await cluster.wait_for(lambda: bool(cluster.seen(Takeover)), within=2 * MINUTE)

        [takeover] = cluster.seen(Takeover)
        # set back, the lease is corrected by the first look, within two heartbeats
        assert takeover.time - stepped <= LEASE + 2.25 * HEARTBEAT


@pytest.mark.parametrize("after", [0.0, 1.0, 2.5, 4.0, 5.5, 7.0, 8.5, 10.0, 13.0])
@pytest.mark.parametrize("step", [HOUR, -HOUR])
async def test_a_live_run_is_left_alone_though_the_stores_clock_is_set(
    step: float, after: float
) -> None:
    """Every lease looks over after the step; the runner gets the time to beat."""
    async with open_cluster(catch_up=0) as cluster:
        await a_run(cluster)
        await anyio.sleep(after)
        cluster.store_clock.step(step)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)
        await anyio.sleep(3 * MINUTE)

        assert [] == cluster.seen(Takeover)
        assert [1] == [entry.what.attempt for entry in cluster.seen(Start)]
        assert [] == cluster.clashes


async def test_a_suspended_runner_asks_before_it_believes() -> None:
    """Monotonic time stood still while it slept, and the run was taken over."""
    async with open_cluster(catch_up=0) as cluster:
        runner = await a_run(cluster)
        runner.freeze()
        await cluster.wait_for(
            lambda: bool(cluster.seen(Takeover)), within=TAKEOVER_WITHIN
        )
        runner.thaw(suspended=True)
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=3 * MINUTE)

        assert [] == cluster.seen(Success, on=runner.name)
        assert 1 == len(cluster.seen(Success))


async def test_a_store_clock_that_is_ahead_decides() -> None:
    """Slots begin when the store says so, though every instance's clock disagrees."""
    clock = VirtualClock(offset=20)
    async with open_cluster(catch_up=0, jitter=0, store_clock=clock) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(5 * MINUTE)

        times = [entry.time for entry in cluster.seen(Start)]
        assert [40 + n * MINUTE for n in range(5)] == pytest.approx(times, abs=0.1)
