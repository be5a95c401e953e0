"""How a plan is played: the cluster is set up, befallen, left in calm, and stopped.

Decides the order of these. Must not judge what happens.
"""

import random

import anyio

from anarchon import Job
from anarchon.errors import SchedulerNotRunning
from anarchon.options import JobOptions
from anarchon.testing.clocks import EPOCH, VirtualClock
from anarchon.testing.cluster import Cluster, open_cluster
from anarchon.testing.life import ClusterOptions
from anarchon.testing.virtual import Loop, run_virtual
from property_tests.clusters.handlers import handler
from property_tests.clusters.manual import Asked, TaleOfBoth
from property_tests.clusters.plans import (
    CATCH_UP,
    JITTER,
    MAX_LATE,
    NAMES,
    RUNNER,
    Ask,
    Deed,
    JobPlan,
    Kind,
    Plan,
    Version,
)
from property_tests.clusters.stage import Stage
from property_tests.clusters.witness import WitnessBackend

# so long nothing befalls anybody; a trouble's aftermath, then a slot of every job
CALM = 200.0
# whoever waits so long for a run by hand waits for ever
NEVER = 1_000.0
EVERYTHING = 10_000


def play(plan: Plan, loop: Loop) -> TaleOfBoth:
    """Play a plan on virtual time, from the first start to the last one's end."""
    chances = random.getstate()
    random.seed(plan.chance)
    try:
        return run_virtual(_play, plan, loop=loop)
    finally:
        random.setstate(chances)


async def _play(plan: Plan) -> TaleOfBoth:
    clock = VirtualClock()
    backend = WitnessBackend(clock, plan.store)
    tale = TaleOfBoth(plan=plan, steps=backend.steps, store_epoch=plan.epoch)
    before = _tasks()
    try:
        async with open_cluster(
            instances=len(plan.machines),
            backend=backend,
            store_clock=clock,
            **_options(plan),
        ) as cluster:
            await _perform(cluster, plan, tale)
    except Exception as death:  # noqa: BLE001  what it is, is for the judge
        tale.death = death
    tale.part()
    tale.leaked = sorted(_tasks() - before)
    return tale


def _options(plan: Plan) -> ClusterOptions:
    options = ClusterOptions(
        jitter=JITTER,
        max_late=MAX_LATE,
        keep=EVERYTHING,
        stop_timeout=plan.stop_timeout,
    )
    if plan.store is Kind.LEASES:
        options["catch_up"] = CATCH_UP
    return options


def _job_options(plan: Plan, job: JobPlan, version: Version) -> JobOptions:
    options = JobOptions(timeout=job.timeout)
    if plan.store is Kind.LEASES:
        options["lease"] = version.lease
        options["heartbeat"] = version.heartbeat
        options["overlap"] = version.overlap or job.overlap
        options["max_attempts"] = version.max_attempts or job.max_attempts
        options["on_lost_contact"] = job.on_lost_contact
    return options


async def _perform(cluster: Cluster, plan: Plan, tale: TaleOfBoth) -> None:
    stages = {one.name: Stage(one, tale, cluster.store_clock.step) for one in cluster}
    since = plan.epoch - EPOCH
    cluster.store_clock.step(since)
    for machine, stage in zip(plan.machines, stages.values(), strict=True):
        stage.instance.clock.rate = machine.rate
        stage.instance.clock.step(since + machine.offset)
        for job in plan.jobs:
            if job.name != machine.version.lacks:
                work = handler(cluster, job, tale.acts)
                options = _job_options(plan, job, machine.version)
                declared = Job(job.name, job.schedule, work, **options)
                cluster.add(declared, on=stage.instance.name)
    try:
        await _let_happen(cluster, stages, plan, tale)
        for job in plan.jobs:
            tale.records += await cluster.history(job.name, EVERYTHING)
    finally:
        tale.events, tale.told = cluster.events, cluster.story()


async def _befall(cluster: Cluster, stages: dict[str, Stage], deed: Deed) -> None:
    await anyio.sleep(deed.at)
    await stages[_who(cluster, deed.who)].befall(deed)


async def _ask(cluster: Cluster, ask: Ask, tale: TaleOfBoth) -> None:
    await anyio.sleep(ask.at)
    who = _who(cluster, ask.who)
    # nobody can call on an instance that isn't there, or that stands still
    if (
        not cluster[who].alive
        or cluster[who].frozen
        or tale.life_at(who, ask.at) is None
    ):
        return
    asked = Asked(ask=ask, who=who, began=cluster.now)
    tale.asked.append(asked)
    with anyio.move_on_after(NEVER):
        with anyio.CancelScope(deadline=asked.cancelled):
            try:
                asked.record = await cluster[who].scheduler.run_now(ask.job)
            except SchedulerNotRunning:
                asked.refused = True
        asked.ended = cluster.now


def _who(cluster: Cluster, name: str) -> str:
    if name != RUNNER:
        return name
    return next((run.instance for run in cluster.live_runs()), NAMES[0])


async def _let_happen(
    cluster: Cluster, stages: dict[str, Stage], plan: Plan, tale: TaleOfBoth
) -> None:
    async with anyio.create_task_group() as deeds:
        for stage in stages.values():
            deeds.start_soon(stage.come_up)
        for deed in plan.deeds:
            deeds.start_soon(_befall, cluster, stages, deed)
        for ask in plan.asks:
            deeds.start_soon(_ask, cluster, ask, tale)
    await anyio.sleep(CALM)
    tale.over = anyio.current_time()
    for stage in stages.values():
        stage.see_state()
    async with anyio.create_task_group() as stops:
        for stage in stages.values():
            stops.start_soon(stage.stop)
    await anyio.sleep(CALM / 10)
    for stage in stages.values():
        stage.count_calls()


def _tasks() -> set[str]:
    return {f"{task.name} {task.id}" for task in anyio.get_running_tasks()}
