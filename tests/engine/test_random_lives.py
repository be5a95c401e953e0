"""Whatever is done to a scheduler, in whatever order: it lives on and settles all."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import pytest
from anyio.abc import TaskGroup

from anarchon import (
    BackendUnavailable,
    DuplicateJob,
    MemoryBackend,
    RunContext,
    Scheduler,
    SchedulerNotRunning,
    State,
    UnknownJob,
    open_scheduler,
)
from anarchon.events import EVENT_NAMES, Event, RunEvent
from anarchon.model import Reason
from anarchon.testing.clocks import EPOCH, VirtualClock
from anarchon.testing.faulty import FaultyBackend
from tests.engine.no_copies import NoCopies
from tests.engine.scenes import without_its_runner

pytestmark = pytest.mark.anyio

LIVES = 40
DEEDS = 60
NAMES = ("one", "two", "three")

Attempt = tuple[str, int, int]
Deed = Callable[[Scheduler], Awaitable[None]]


async def nothing() -> None:
    """Do the job's work."""


class RandomLife:
    """One scheduler, what is done to it by chance, and what becomes of its runs."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.faults = NoCopies()
        self.at_work: Counter[str] = Counter()
        self.overlaps: list[RunContext] = []
        self.events: list[Event] = []
        self._seed = seed

    async def handler(self, ctx: RunContext) -> None:
        """Do one of the things that handlers do, and look whether another is there."""
        if ctx.reason is Reason.MANUAL:
            await self._work(ctx)
            return
        if self.at_work[ctx.job]:
            self.overlaps.append(ctx)
        self.at_work[ctx.job] += 1
        try:
            await self._work(ctx)
        finally:
            self.at_work[ctx.job] -= 1

    async def _work(self, ctx: RunContext) -> None:
        seconds = self.chance.uniform(0, 8)
        match self.chance.randrange(6):
            case 0:
                await anyio.sleep(seconds)
            case 1:
                raise ValueError("odd")
            case 2:
                with ctx.shield(4):
                    await anyio.sleep(seconds)
            case 3:
                with suppress(anyio.get_cancelled_exc_class()):
                    await anyio.sleep(seconds)
            case _:
                await anyio.sleep(seconds / 16)

    async def do_something(self, scheduler: Scheduler, tasks: TaskGroup) -> None:
        """Do a random deed."""
        deeds: list[Deed] = [
            self._add,
            self._add,
            self._remove,
            self._start,
            self._stop,
            self._disturb,
            self._disturb,
        ]
        deed = self.chance.choice([*deeds, None])
        if deed is None:
            tasks.start_soon(self._run_now, scheduler)
        else:
            with anyio.move_on_after(self.chance.uniform(0, 8)):
                await deed(scheduler)

    async def _add(self, scheduler: Scheduler) -> None:
        name, chance = self.chance.choice(NAMES), self.chance
        with suppress(DuplicateJob):
            scheduler.every(
                name,
                chance.choice(["700ms", "1s", "2s"]),
                self.handler,
                timeout=chance.choice([None, 2]),
                max_attempts=chance.choice([1, 3]),
                on_lost_contact=chance.choice(["cancel", "continue"]),
            )

    async def _remove(self, scheduler: Scheduler) -> None:
        scheduler.remove(self.chance.choice(NAMES))

    async def _start(self, scheduler: Scheduler) -> None:
        with suppress(BackendUnavailable, SchedulerNotRunning):
            await scheduler.start()

    async def _stop(self, scheduler: Scheduler) -> None:
        await scheduler.stop(self.chance.choice([None, 0, 2]))

    async def _disturb(self, _: Scheduler) -> None:
        match self.chance.randrange(4):
            case 0:
                self.faults.storm(self._seed, rate=0.3, longest=2)
            case 1:
                self.faults.partition(silent=self.chance.random() < 0.5)
            case 2:
                self.faults.heal()
            case _:
                self.faults.clear()

    async def _run_now(self, scheduler: Scheduler) -> None:
        with (
            suppress(SchedulerNotRunning, UnknownJob),
            anyio.move_on_after(self.chance.uniform(0, 3)),
        ):
            await scheduler.run_now(self.chance.choice(NAMES))

    def told(self, *names: str) -> Counter[Attempt]:
        """Count the events of each attempt, without those that end it for good."""
        return Counter(
            (event.job, event.slot, event.attempt)
            for event in self.events
            if isinstance(event, RunEvent) and event.name in names
            if not without_its_runner(event)
        )


async def live(life: RandomLife) -> int:
    """Live through all that; return how often a last job could run in half a minute."""
    clock = VirtualClock(epoch=EPOCH - anyio.current_time())
    async with open_scheduler(
        FaultyBackend(MemoryBackend(clock=clock), life.faults),
        clock=clock,
        lease=3,
        heartbeat=1,
        jitter=0.3,
        max_late=10,
        catch_up=life.chance.choice([0, 30]),
        stop_timeout=life.chance.choice([0.5, 3, 10]),
    ) as scheduler:
        for name in EVENT_NAMES:
            scheduler.on(name, life.events.append)
        async with anyio.create_task_group() as tasks:
            for _ in range(DEEDS):
                await anyio.sleep(life.chance.uniform(0, 2.5))
                await life.do_something(scheduler, tasks)
        return await runs_of_a_last_job(life, scheduler)


async def runs_of_a_last_job(life: RandomLife, scheduler: Scheduler) -> int:
    """End all faults and jobs, add another job, and count its runs."""
    life.faults.clear()
    await scheduler.stop()
    for name in NAMES:
        scheduler.remove(name)
    ran: list[int] = []
    scheduler.every("last", "1s", nothing)
    scheduler.on("success", lambda _: ran.append(1))
    await scheduler.start()
    await anyio.sleep(30)
    assert State.RUNNING == scheduler.state
    return len(ran)


async def test_nothing_that_is_done_to_a_scheduler_wears_it_out() -> None:
    """Added, removed, run by hand, started, stopped and disturbed: it still works.

    Each attempt that began was told to end, once; no handler overlapped another one.
    """
    begun = 0
    for seed in range(LIVES):
        random.seed(seed)
        life = RandomLife(seed)
        ran = await live(life)

        started = life.told("start")
        ended = life.told("success", "failure", "interrupted")
        begun += started.total()
        assert 28 <= ran, seed
        assert [] == life.overlaps, seed
        assert {1} == {*started.values()}, seed
        assert {1} == {ended[attempt] for attempt in started}, seed

    print(f"{begun} attempts were begun in {LIVES} lives")
    assert begun > 20 * LIVES
