"""Starting: what it waits for, what it raises, and who may end it."""

import anyio
import pytest

from anarchon import (
    BackendTooOld,
    BackendUnavailable,
    SchedulerNotRunning,
    open_scheduler,
)
from anarchon.events import Interrupted, Start
from anarchon.model import State
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import FAIL_BEFORE, HANG_BEFORE, Fault, Faults
from anarchon.testing.faulty import FaultyBackend
from tests.alone import open_alone
from tests.engine.counting import CountingBackend

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> VirtualClock:
    """Return the clock of the scheduler and the store."""
    return VirtualClock()


@pytest.fixture
def backend(clock: VirtualClock) -> CountingBackend:
    """Return a store that counts."""
    return CountingBackend(clock)


async def nothing() -> None:
    """Do the job's work."""


async def forever() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def test_the_states_follow_one_another(backend: CountingBackend) -> None:
    """Idle, starting, running, stopping, idle; and nothing connects before start."""
    faults = Faults()
    faults.always(Fault(reply_delay=1), "time", "release")
    async with open_scheduler(FaultyBackend(backend, faults), start=False) as s:
        states = [s.state]
        opened = [backend.opened]
        s.every("sync", "1m", forever, jitter=0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.start)
            await anyio.sleep(0.5)
            states.append(s.state)
        states.append(s.state)
        opened.append(backend.open_now)
        with anyio.fail_after(100):
            while not s.running():
                await anyio.sleep(1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(s.stop)
            await anyio.sleep(0.5)
            states.append(s.state)
        states.append(s.state)
        opened.append(backend.open_now)

    assert ["idle", "starting", "running", "stopping", "idle"] == states
    assert [0, 1, 0] == opened


async def test_the_block_starts_and_stops(backend: CountingBackend) -> None:
    """Entering starts; leaving stops and leaves no store open."""
    async with open_scheduler(backend) as scheduler:
        running = scheduler.state

    assert [State.RUNNING, State.IDLE] == [running, scheduler.state]
    assert (1, 0) == (backend.opened, backend.open_now)


@pytest.mark.parametrize(
    ("raised", "expected", "message"),
    [
        (OSError("refused"), BackendUnavailable, "can't be opened: OSError: refused"),
        (KeyError("odd"), BackendUnavailable, "can't be opened: KeyError: 'odd'"),
        (BackendUnavailable("no route"), BackendUnavailable, "no route"),
        (BackendTooOld("has 1, needs 2"), BackendTooOld, "has 1, needs 2"),
    ],
)
async def test_a_store_that_can_not_be_opened_is_an_error_of_start(
    backend: CountingBackend,
    raised: Exception,
    expected: type[Exception],
    message: str,
) -> None:
    """Start tells why and leaves the scheduler idle; it can be started later."""
    backend.on_open = raised
    async with open_scheduler(backend, start=False) as scheduler:
        with pytest.raises(expected, match=message):
            await scheduler.start()
        states = [scheduler.state]
        backend.on_open = None
        await scheduler.start()
        states.append(scheduler.state)

    assert [State.IDLE, State.RUNNING] == states


async def test_entering_the_block_raises_what_start_raises(
    backend: CountingBackend,
) -> None:
    """The error comes out bare, not in a group, and the body isn't entered."""
    backend.on_open = OSError("refused")
    with pytest.raises(BackendUnavailable, match="refused") as caught:
        async with open_scheduler(backend):
            raise AssertionError("entered")

    assert isinstance(caught.value.__cause__, OSError)


@pytest.mark.parametrize("operation", ["time", "prepare", "unfinished"])
@pytest.mark.parametrize("fault", [FAIL_BEFORE, HANG_BEFORE])
async def test_a_store_that_does_not_answer_fails_the_start(
    backend: CountingBackend, operation: str, fault: Fault
) -> None:
    """A store that opens and then says nothing can't be used; start ends in time."""
    faults = Faults()
    faults.always(fault, operation)
    async with open_scheduler(FaultyBackend(backend, faults), start=False) as scheduler:
        scheduler.every("sync", "1m", nothing)
        with pytest.raises(BackendUnavailable, match=f"did not answer: {operation}"):
            await scheduler.start()

        assert anyio.current_time() <= 5
        assert State.IDLE == scheduler.state
        assert 0 == backend.open_now


async def test_starting_twice_starts_once(backend: CountingBackend) -> None:
    """Start while starting waits for the same start; while running it does nothing."""
    async with open_scheduler(backend, start=False) as scheduler:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(scheduler.start)
            tasks.start_soon(scheduler.start)
        await scheduler.start()

        assert (State.RUNNING, 1) == (scheduler.state, backend.opened)


async def test_a_cancelled_caller_of_start_only_stops_waiting(
    backend: CountingBackend,
) -> None:
    """The start goes on without whoever asked for it."""
    faults = Faults()
    faults.script("time", Fault(reply_delay=2))
    async with open_scheduler(FaultyBackend(backend, faults), start=False) as scheduler:
        with anyio.move_on_after(1) as scope:
            await scheduler.start()
        await anyio.sleep(2)

        assert scope.cancelled_caught
        assert State.RUNNING == scheduler.state


@pytest.mark.parametrize("operation", ["open", "time", "prepare", "unfinished"])
async def test_stop_while_starting_cancels_the_start(
    backend: CountingBackend, operation: str
) -> None:
    """A store that hangs doesn't hold the stop; whoever waits for the start learns."""
    faults = Faults()
    faults.script(operation, HANG_BEFORE)
    refused: list[str] = []
    async with open_scheduler(FaultyBackend(backend, faults), start=False) as scheduler:

        async def start() -> None:
            try:
                await scheduler.start()
            except SchedulerNotRunning as error:
                refused.append(str(error))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(start)
            await anyio.sleep(1)
            began = anyio.current_time()
            await scheduler.stop()

        assert anyio.current_time() - began <= 5
        assert ["stopped while it was starting"] == refused
        assert (State.IDLE, 0) == (scheduler.state, backend.open_now)
        await scheduler.start()
        assert State.RUNNING == scheduler.state


async def test_start_while_stopping_waits_and_starts_again(
    backend: CountingBackend,
) -> None:
    """The new life begins once the old one has ended."""

    async def handler() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(10)

    async with open_scheduler(backend, jitter=0) as scheduler:
        scheduler.every("sync", "1m", handler)
        with anyio.fail_after(100):
            while not scheduler.running():
                await anyio.sleep(1)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(scheduler.stop)
            await anyio.sleep(1)
            halfway = scheduler.state
            await scheduler.start()

        assert [State.STOPPING, State.RUNNING] == [halfway, scheduler.state]
        assert (2, 1) == (backend.opened, backend.open_now)


async def test_a_handler_that_starts_the_scheduler_again_waits_for_the_stop() -> None:
    """The stop waits for the handler in turn, and no longer than it was told."""

    async def handler() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await alone.scheduler.start()

    async with open_alone(stop_timeout=5) as alone:
        alone.scheduler.every("sync", "10m", handler)
        await alone.until_seen(Start, within=610)
        began = anyio.current_time()
        await alone.scheduler.stop()
        took = anyio.current_time() - began
        await alone.until_seen(Interrupted)

        assert 5 <= took <= 10
        assert State.RUNNING == alone.scheduler.state
