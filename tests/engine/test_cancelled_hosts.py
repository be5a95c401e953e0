"""A host that is cancelled at any moment: no attempt that was granted is forgotten."""

import random
from collections.abc import Awaitable, Callable

import anyio
import pytest

from anarchon import MemoryBackend, RunContext, Scheduler, open_scheduler
from anarchon.events import EVENT_NAMES, Event, RunEvent, Takeover
from anarchon.model import RunRecord, Status
from anarchon.testing.clocks import EPOCH, VirtualClock
from anarchon.testing.faulty import FaultyBackend
from tests.engine.no_copies import NoCopies
from tests.engine.scenes import without_its_runner
from tests.engine.waits import HALF, WaitingBackend, Waits

pytestmark = pytest.mark.anyio

JOBS = ("short", "long", "manual")
HEARTBEAT = 1.0


async def short(ctx: RunContext) -> None:
    """Work for a moment."""
    await anyio.sleep(0.1)


async def long(ctx: RunContext) -> None:
    """Work until somebody says stop; the next attempt returns at once."""
    if ctx.attempt == 1:
        await anyio.sleep(50)


class World:
    """A store, and all that was told by the instances that used it."""

    def __init__(self, backend: MemoryBackend, clock: VirtualClock) -> None:
        self.backend = backend
        self.clock = clock
        self.events: list[Event] = []

    def told(self, *names: str, final: bool = False) -> list[tuple[str, int, int]]:
        """Return which attempts the events of these names were about.

        Those that end a run without its runner are left out, or alone returned.
        """
        return [
            (event.job, event.slot, event.attempt)
            for event in self.events
            if isinstance(event, RunEvent) and event.name in names
            if final == without_its_runner(event)
        ]

    async def records(self) -> list[RunRecord]:
        """Read the records of all attempts that were ever granted."""
        async with MemoryBackend.open(self.backend) as store:
            return [r for job in JOBS for r in await store.history(job, 10_000)]

    async def live(
        self,
        body: Callable[[Scheduler], Awaitable[None]],
        backend: MemoryBackend | FaultyBackend | None = None,
    ) -> None:
        """Open a scheduler with the two jobs, start it and run a body."""
        async with open_scheduler(
            backend or self.backend,
            start=False,
            clock=self.clock,
            lease=4 * HEARTBEAT,
            heartbeat=HEARTBEAT,
            jitter=0,
            catch_up=0,
        ) as scheduler:
            for name in EVENT_NAMES:
                scheduler.on(name, self.events.append)
            scheduler.every("short", "1s", short)
            scheduler.every("long", "1m", long, offset=2)
            scheduler.every("manual", "1d", short)
            await scheduler.start()
            await body(scheduler)


def a_clock() -> VirtualClock:
    """Return a clock that begins on the minute, whatever time the loop has."""
    return VirtualClock(epoch=EPOCH - anyio.current_time())


def follows(record: RunRecord, records: list[RunRecord]) -> bool:
    """Tell whether a later attempt of the same run was granted."""
    return any(
        (record.job, record.slot) == (later.job, later.slot)
        and record.attempt < later.attempt
        for later in records
    )


async def check(world: World) -> int:
    """Assert that each attempt was settled once; return how many were granted."""
    started = world.told("start")
    ended = world.told("success", "failure", "interrupted")
    assert len(set(started)) == len(started)
    assert len(set(ended)) == len(ended)
    assert set(started) <= set(ended)
    records = await world.records()
    for record in records:
        attempt = (record.job, record.slot, record.attempt)
        assert Status.RUNNING != record.status, attempt
        if record.status is Status.INTERRUPTED and not record.manual:
            replaced = attempt in world.told("interrupted", final=True)
            over = record.handed_over or replaced or follows(record, records)
            assert over, attempt
        if record.status is Status.SUCCESS:
            assert attempt in world.told("success")
    return len(records)


async def use_everything(scheduler: Scheduler) -> None:
    """Let every kind of call be sent more than once, then stop."""
    await anyio.sleep(3.3)
    for _ in range(2):
        await scheduler.run_now("manual")
        await scheduler.history("short")
    await anyio.sleep(2)
    await scheduler.stop()


async def wait_for_a_takeover(scheduler: Scheduler) -> None:
    """Look on for as long as it takes a backup to find a hand-over, and a slot."""
    await anyio.sleep(2 * HEARTBEAT + 1)


OPERATIONS = [
    "time",
    "prepare",
    "unfinished",
    "claim",
    "heartbeat",
    "finish",
    "release",
    "record",
    "history",
]


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_host_may_be_cancelled_at_any_wait_of_any_call(operation: str) -> None:
    """At the first, the second, ... wait: what was granted is settled or taken over."""
    chosen = 1
    while chosen <= 4 * HALF and await cancelled_at(operation, chosen):
        chosen += 1

    assert chosen > 2 * HALF, "a call has as many waits"


async def cancelled_at(operation: str, chosen: int) -> bool:
    """Cancel the host at one wait, and check; tell whether it came to that wait."""
    clock, host = a_clock(), anyio.CancelScope()
    waits = Waits(operation, chosen, host.cancel)
    world = World(WaitingBackend(clock, waits), clock)
    with host:
        await world.live(use_everything)
    reached = waits.passed >= chosen
    assert reached == host.cancel_called
    await check(world)
    await check_that_others_go_on(world)
    return reached


async def check_that_others_go_on(world: World) -> None:
    """Assert that the next instance isn't held up by what the last one left."""
    handed_over = {(r.job, r.slot) for r in await world.records() if r.handed_over}
    before = len(world.events)
    await world.live(wait_for_a_takeover)
    later = world.events[before:]
    taken = {(e.job, e.slot) for e in later if isinstance(e, Takeover)}
    assert {run for run in handed_over if run[0] == "long"} <= taken
    assert any(e.name == "success" for e in later)
    await check(world)


TIMES = 400


async def test_hosts_cancelled_at_random_lose_no_attempt() -> None:
    """Whatever is delayed or lost just then: each grant is settled."""
    granted = handed_over = starts = 0
    for seed in range(TIMES):
        world = await cancelled_at_random(seed)
        granted += await check(world)
        handed_over += sum(record.handed_over for record in await world.records())
        starts += len(world.told("start"))

    print(f"{granted} attempts granted, {starts} started, {handed_over} handed over")
    assert granted > 2 * TIMES
    assert handed_over > TIMES / 4
    assert granted > starts


async def cancelled_at_random(seed: int) -> World:
    """Cancel the host of a scheduler at a random moment, amid random faults."""
    chance, faults, clock = random.Random(seed), NoCopies(), a_clock()
    world = World(MemoryBackend(clock=clock), clock)

    async def body(scheduler: Scheduler) -> None:
        faults.storm(seed, rate=0.3, longest=0.5)
        while True:
            await anyio.sleep(chance.uniform(0, 2))
            with anyio.move_on_after(chance.uniform(0, 0.2)):
                await scheduler.run_now("manual")

    with anyio.move_on_after(chance.uniform(0, 6)):
        await world.live(body, FaultyBackend(world.backend, faults))
    return world
