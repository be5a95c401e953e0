"""A host whose loop is blocked: its runs are fenced or go on, and it lives on."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from anarchon import MemoryBackend, RunContext, Scheduler, open_scheduler
from anarchon.events import EVENT_NAMES, Event, Lost, RunEvent
from anarchon.model import LostContact, RunRecord, Status

pytestmark = pytest.mark.anyio

Backend = tuple[str, dict[str, object]]

LEASE = 0.3
BLOCKED = 3 * LEASE
# a busy machine may block for longer than it was asked to
LONG = BLOCKED + 6 * LEASE


@dataclass
class Scene:
    """What the handlers of all instances did, and what was told."""

    backend: MemoryBackend
    started: list[tuple[str, int, int]] = field(default_factory=list)
    returned: list[tuple[str, int, int]] = field(default_factory=list)
    cancelled: list[tuple[str, int, int]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    async def work(self, ctx: RunContext) -> None:
        """Work for longer than the loop is blocked; a later attempt is quick."""
        me = (ctx.instance_id, ctx.slot, ctx.attempt)
        self.started.append(me)
        try:
            await anyio.sleep(LONG if ctx.attempt == 1 else 0.05)
        except anyio.get_cancelled_exc_class():
            self.cancelled.append(me)
            raise
        self.returned.append(me)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what one of the loops does."""
        with anyio.fail_after(5):
            while not condition():
                await anyio.sleep(0.01)

    def names(self, instance: str) -> list[str]:
        """Return the names of the events of a run on an instance."""
        return [
            event.name
            for event in self.events
            if isinstance(event, RunEvent) and event.instance_id == instance
        ]

    async def history(self) -> list[RunRecord]:
        """Read the records of the job, oldest first."""
        async with self.backend.open() as store:
            return (await store.history("sync", 100))[::-1]


def listen(scene: Scene, scheduler: Scheduler) -> None:
    """Collect the events of an instance."""
    for name in EVENT_NAMES:
        scheduler.on(name, scene.events.append)


@contextmanager
def a_backup(scene: Scene, backend: Backend) -> Generator[None]:
    """Run instance B, which has the same job, in a thread and a loop of its own."""
    ready, over = threading.Event(), threading.Event()

    async def live() -> None:
        async with open_scheduler(
            scene.backend, instance_id="B", lease=LEASE, heartbeat=LEASE / 5
        ) as scheduler:
            listen(scene, scheduler)
            # its own slots lie far away; what it does is to look after A's
            scheduler.every("sync", "1d", scene.work, catch_up=0)
            ready.set()
            while not over.is_set():
                await anyio.sleep(0.01)

    thread = threading.Thread(
        target=lambda: anyio.run(live, backend=backend[0], backend_options=backend[1])
    )
    thread.start()
    ready.wait(5)
    try:
        yield
    finally:
        over.set()
        thread.join(5)


def block(seconds: float) -> None:
    """Block the loop, as code does that should have been in a thread."""
    time.sleep(seconds)


async def run_and_block(scene: Scene, **options: LostContact) -> None:
    """Let instance A begin a run, and block its loop from another task."""
    async with open_scheduler(
        scene.backend,
        instance_id="A",
        lease=LEASE,
        heartbeat=LEASE / 5,
        jitter=0,
        catch_up=0,
        max_late=1,
        **options,  # type: ignore[arg-type]
    ) as scheduler:
        listen(scene, scheduler)
        scheduler.every("sync", "200ms", scene.work)
        await scene.until(lambda: bool(scene.started))
        scheduler.remove("sync")
        block(BLOCKED)
        first = scene.started[0]
        await scene.until(lambda: first in scene.returned + scene.cancelled)
        await scene.until(lambda: not scheduler.running())

        quick: list[int] = []
        scheduler.every("quick", "50ms", lambda: quick.append(1))
        await scene.until(lambda: len(quick) >= 2)


@pytest.mark.parametrize("rule", list(LostContact))
async def test_a_blocked_runner_is_fenced_by_its_backup(
    rule: LostContact, anyio_backend: Backend
) -> None:
    """The backup takes over, the runner is told on waking; the scheduler goes on."""
    scene = Scene(MemoryBackend())
    with a_backup(scene, anyio_backend):
        await run_and_block(scene, on_lost_contact=rule)
        await scene.until(lambda: "success" in scene.names("B"))

    [first, second] = await scene.history()
    assert ("A", 1, Status.INTERRUPTED) == (
        first.instance_id,
        first.attempt,
        first.status,
    )
    assert ("B", 2, Status.SUCCESS) == (
        second.instance_id,
        second.attempt,
        second.status,
    )
    assert [("A", first.slot, 1)] == scene.cancelled
    assert [("A", first.slot, 1), ("B", first.slot, 2)] == scene.started
    assert ["refused"] == [e.cause for e in scene.events if isinstance(e, Lost)]
    assert ["start", "lost", "interrupted"] == scene.names("A")[:3]


async def test_a_blocked_runner_without_a_backup_goes_on() -> None:
    """The store still knows its token: the heartbeat is accepted, nothing was lost."""
    scene = Scene(MemoryBackend())
    await run_and_block(scene)

    [record] = await scene.history()
    assert (1, Status.SUCCESS) == (record.attempt, record.status)
    assert [] == [event for event in scene.events if isinstance(event, Lost)]
    assert [("A", record.slot, 1)] == scene.returned


async def test_a_handler_that_blocks_past_its_timeout_has_failed() -> None:
    """Nobody could cancel it, and it returned; its time was over all the same."""

    async def handler() -> None:
        block(0.2)

    async with open_scheduler(MemoryBackend()) as scheduler:
        scheduler.every("sync", "1d", handler, timeout=0.1)
        record = await scheduler.run_now("sync")

    assert (Status.FAILED, "timed out after 0.1 s") == (record.status, record.error)


async def test_slots_that_pass_while_the_loop_is_blocked_are_not_made_up() -> None:
    """At most one of them is asked for afterwards: no storm of late runs."""
    ran: list[float] = []
    async with open_scheduler(MemoryBackend(), jitter=0, catch_up=0) as scheduler:
        scheduler.every("sync", "20ms", lambda: ran.append(time.monotonic()))
        with anyio.fail_after(5):
            while not ran:
                await anyio.sleep(0.005)
        block(0.4)
        woken = time.monotonic()
        with anyio.fail_after(5):
            while len(ran) < 5:
                await anyio.sleep(0.005)

    at_once = [moment for moment in ran if woken <= moment < woken + 0.015]
    assert len(at_once) <= 3
    assert len(ran) < 20
