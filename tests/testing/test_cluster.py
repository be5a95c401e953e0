"""The simulated cluster: what befalls one instance, and what is seen of it."""

import anyio
import pytest

from anarchon import Every, Job, Jobs, RunContext
from anarchon.errors import BackendUnavailable, InvalidOption
from anarchon.events import Error, Interrupted, Skip, Start, Success
from anarchon.model import Status
from anarchon.testing.clocks import EPOCH, VirtualClock
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.faults import HANG_AFTER

pytestmark = pytest.mark.anyio

MINUTE = 60.0
SLOT = round((EPOCH + MINUTE) * 1000)


async def a_running_cluster(cluster: Cluster, seconds: float = 40.0) -> str:
    """Start a job that takes so long; return who runs it."""
    cluster.every("sync", "1m", cluster.work(seconds))
    await cluster.start()
    await cluster.wait_for(lambda: bool(cluster.live_runs()), within=70)
    return cluster.runner("sync").name


def calls(cluster: Cluster, name: str) -> int:
    """Count all that an instance has sent to the store."""
    return cluster[name].faults.calls.total()


async def test_one_of_the_instances_runs_each_slot() -> None:
    """A cluster without faults does what it is for."""
    async with open_cluster(instances=3, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(5))
        await cluster.start()
        await anyio.sleep(10 * MINUTE)

        slots = [entry.what.slot for entry in cluster.seen(Success)]
        assert [SLOT + n * 60_000 for n in range(9)] == slots[:9]
        assert len(slots) == len(set(slots))
        assert [] == cluster.clashes


async def test_cron_jobs_run_too() -> None:
    """Both kinds of schedule can be declared."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster.cron("digest", "*/5 * * * *", cluster.work(1))
        await cluster.start()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=310)

        assert round((EPOCH + 300) * 1000) == cluster.seen(Success)[0].what.slot


async def test_a_job_may_be_declared_on_some_instances_only() -> None:
    """As in a rolling deploy: the others neither run it nor hear of it."""
    async with open_cluster(instances=3, catch_up=0) as cluster:
        for name, seconds in ("A", "1m"), ("C", "2m"):
            cluster.add(Job("sync", Every(seconds), cluster.work(5)), on=name)
        await cluster.start()
        await anyio.sleep(10 * MINUTE)

        assert {"A", "C"} == {entry.instance for entry in cluster.events}
        assert 8 <= len(cluster.seen(Success))
        asked = [*cluster.seen(Skip, on="C"), *cluster.seen(Success, on="C")]
        slots = sorted(entry.what.slot for entry in asked)
        assert [SLOT + MINUTE * 1000 * n for n in (1, 3, 5, 7)] == slots[:4]


async def test_jobs_that_were_declared_elsewhere_run_as_they_were_declared() -> None:
    """Schedule, options and handler are the job's, with a context or without."""
    jobs, done = Jobs(), list[str]()

    @jobs.every("sync", "1m", lease="9s", heartbeat="3s")
    async def sync(ctx: RunContext) -> None:
        done.append(ctx.job)

    @jobs.every("digest", "1m")
    async def digest() -> None:
        done.append("digest")

    async with open_cluster(instances=2, jobs=jobs, catch_up=0) as cluster:
        await cluster.start()
        await cluster.wait_for(lambda: len(done) == 2, within=70)
        [job, _] = cluster["A"].scheduler.jobs

        assert {"sync", "digest"} == set(done)
        assert 9.0 == job.options.lease


async def test_a_handler_that_needs_a_thread_is_refused() -> None:
    """Threads work in real time; a stand-in for the handler makes the job welcome."""
    job = Job("sync", Every("1m"), lambda: None)

    async def stand_in() -> None:
        pass

    async with open_cluster(instances=1, catch_up=0) as cluster:
        with pytest.raises(InvalidOption, match="'sync' must be an async def"):
            cluster.add(job)
        cluster.add(job.with_handler(stand_in))
        await cluster.start()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=70)


async def test_a_crashed_instance_is_silent_and_the_others_go_on() -> None:
    """After a crash nothing more is sent, told or run by the dead; the others live."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        dead = await a_running_cluster(cluster)
        other = "B" if dead == "A" else "A"
        cluster[dead].crash()
        sent, told = calls(cluster, dead), len(cluster.events)
        assert [] == cluster.live_runs()
        await anyio.sleep(5 * MINUTE)

        assert not cluster[dead].alive
        assert sent == calls(cluster, dead)
        assert 0 == cluster[dead].faults.calls["release"]
        assert {other} == {entry.instance for entry in cluster.events[told:]}
        assert cluster.seen(Success, on=other)


async def test_a_crash_cuts_off_what_is_under_way() -> None:
    """A reply on its way to a crashed instance is heard by nobody."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(1))
        await cluster.start()
        cluster["A"].faults.script("claim", HANG_AFTER)
        await cluster.wait_for(
            lambda: cluster["A"].faults.calls["claim"] == 1, within=70
        )
        cluster["A"].crash()
        await anyio.sleep(2 * MINUTE)

        assert [] == cluster.seen(Start)
        assert [Status.RUNNING] == [r.status for r in await cluster.history("sync")]


async def test_a_restarted_instance_keeps_its_clock_and_its_faults() -> None:
    """A new scheduler comes up on the same machine."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(1))
        cluster["A"].clock.step(0.5)
        await cluster.start()
        opened = cluster["A"].faults.calls["open"]
        first = cluster["A"].scheduler

        await cluster["A"].restart()

        assert cluster["A"].alive
        assert first is not cluster["A"].scheduler
        assert opened + 1 == cluster["A"].faults.calls["open"]
        assert EPOCH + 0.5 + cluster.now == cluster["A"].clock.time()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=70)


async def test_nothing_moves_in_a_frozen_instance() -> None:
    """While frozen: no call, no event, no step of a handler; then it goes on."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        await a_running_cluster(cluster, seconds=10)
        cluster["A"].freeze()
        sent, told = calls(cluster, "A"), len(cluster.events)
        await anyio.sleep(20)
        assert (sent, told) == (calls(cluster, "A"), len(cluster.events))
        assert 1 == len(cluster.live_runs())

        cluster["A"].thaw()

        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=1)


@pytest.mark.parametrize(("suspended", "lost"), [(False, 0.0), (True, 20.0)])
async def test_a_suspended_machine_loses_its_monotonic_time(
    suspended: bool,
    lost: float,
) -> None:
    """A frozen process sees both clocks go on, a suspended machine only one."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        await cluster.start()
        cluster["A"].freeze()
        await anyio.sleep(20)
        cluster["A"].thaw(suspended=suspended)

        assert 20.0 - lost == cluster["A"].clock.monotonic()
        assert EPOCH + 20.0 == cluster["A"].clock.time()


async def test_a_partition_cuts_one_instance_off_until_it_is_healed() -> None:
    """An instance that can't reach the store says so; the others notice nothing."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        cluster.every("sync", "1m", cluster.work(1))
        await cluster.start()
        cluster["A"].partition()
        await cluster.wait_for(lambda: len(cluster.seen(Success)) == 2, within=130)
        assert [] == cluster.seen(Success, on="A")
        assert cluster.seen(Error, on="A")
        assert [] == cluster.seen(Error, on="B")

        cluster["A"].heal()
        cluster["B"].crash()

        await cluster.wait_for(lambda: bool(cluster.seen(Success, on="A")), within=130)


async def test_starting_behind_a_partition_fails() -> None:
    """What the scheduler's start raises comes out of the instance's start."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        cluster["A"].partition()

        with pytest.raises(BackendUnavailable):
            await cluster["A"].start()

        assert not cluster["A"].alive
        cluster["A"].heal()
        await cluster["A"].start()
        assert cluster["A"].alive


async def test_stopping_is_graceful() -> None:
    """A stopped instance hands its run over and says so, before stop returns."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        await a_running_cluster(cluster)

        await cluster["A"].stop()

        assert not cluster["A"].alive
        assert [True] == [e.what.handed_over for e in cluster.seen(Interrupted)]
        assert 1 == cluster["A"].faults.calls["release"]


async def test_a_crash_during_the_start_ends_the_start() -> None:
    """Whoever waits for an instance to start learns that it won't."""
    async with (
        open_cluster(instances=1, catch_up=0) as cluster,
        anyio.create_task_group() as tasks,
    ):
        cluster["A"].faults.script("open", HANG_AFTER)
        tasks.start_soon(cluster["A"].start)
        await anyio.sleep(1)
        cluster["A"].crash()

    assert not cluster["A"].alive


async def test_the_store_may_have_a_clock_of_its_own() -> None:
    """Records show the store's time, whatever the instances believe."""
    clock = VirtualClock(offset=-20.0)
    async with open_cluster(instances=1, catch_up=0, store_clock=clock) as cluster:
        cluster.every("sync", "1m", cluster.work(1), jitter=0)
        await cluster.start()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=130)

        record = (await cluster.history("sync"))[0]
        assert clock is cluster.store_clock
        assert 20.0 <= cluster.seen(Start)[0].time < 21.0
        assert EPOCH <= record.started_at.timestamp() < EPOCH + 1.0


async def test_handlers_of_one_job_at_the_same_time_are_a_clash() -> None:
    """A claim-only store lets runs overlap, and the cluster sees it."""
    async with open_cluster(instances=2, leases=False) as cluster:
        cluster.every("sync", "1m", cluster.work(90))
        await cluster.start()
        await cluster.wait_for(lambda: len(cluster.seen(Start)) == 2, within=130)

        [(older, newer)] = cluster.clashes
        assert (SLOT, SLOT + 60_000) == (older.slot, newer.slot)


async def test_waiting_in_vain_tells_the_story() -> None:
    """A condition that never holds fails in time, with all that happened."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        await a_running_cluster(cluster)
        began = cluster.now
        cluster["A"].freeze()

        with pytest.raises(AssertionError, match="not within 25 s") as caught:
            await cluster.wait_for(lambda: False, within=25)

        assert began + 25 == cluster.now
        for words in (
            "A  starts",
            "A  start sync 00:01:00.000 attempt 1",
            "A  freezes",
        ):
            assert words in str(caught.value)


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    """A failed assertion is shown bare, and nothing of the cluster goes on."""
    clusters: list[Cluster] = []

    async def fail() -> None:
        async with open_cluster(instances=2, catch_up=0) as cluster:
            clusters.append(cluster)
            await a_running_cluster(cluster)
            raise AssertionError("mine")

    with pytest.raises(AssertionError, match="mine"):
        await fail()

    assert [False, False] == [instance.alive for instance in clusters[0]]


async def test_the_end_of_the_block_thaws_and_stops() -> None:
    """No instance outlives the block, not even one that was left frozen."""
    async with open_cluster(instances=2, catch_up=0) as cluster:
        runner = await a_running_cluster(cluster)
        cluster[runner].freeze()

    assert [False, False] == [instance.alive for instance in cluster]
    [interrupted] = cluster.seen(Interrupted)
    assert interrupted.what.handed_over


async def test_who_runs_a_job_is_known_while_it_runs() -> None:
    """The runner is the instance with the newest handler; without one, an error."""
    async with open_cluster(instances=1, catch_up=0) as cluster:
        with pytest.raises(LookupError, match="no instance runs 'sync'"):
            cluster.runner("sync")
        await a_running_cluster(cluster)

        assert cluster["A"] is cluster.runner("sync")
        assert [(SLOT, 1, "A")] == [
            (run.slot, run.attempt, run.instance) for run in cluster.live_runs()
        ]


async def test_a_handler_learns_where_it_runs() -> None:
    """A handler written by hand sleeps by its instance's clock through the cluster."""
    woken: list[float] = []
    async with open_cluster(instances=1, catch_up=0) as cluster:

        async def handler(ctx: RunContext) -> None:
            await cluster[ctx.instance_id].sleep(10)
            woken.append(cluster.now)

        cluster.every("sync", "1m", handler, jitter=0)
        await cluster.start()
        await cluster.wait_for(lambda: bool(cluster.live_runs()), within=70)
        cluster["A"].freeze()
        await anyio.sleep(25)
        cluster["A"].thaw()
        await cluster.wait_for(lambda: bool(cluster.seen(Success)), within=70)

    assert [85.0] == [round(time, 3) for time in woken]
