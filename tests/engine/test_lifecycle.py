"""Start, stop, start again: the states, who waits for what, and what is left open."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from anarchon import (
    BackendTooOld,
    BackendUnavailable,
    MemoryBackend,
    SchedulerNotRunning,
    open_scheduler,
)
from anarchon.backends.memory.store import MemoryClaimStore
from anarchon.events import Error, Event, Interrupted, Start, Success, Takeover
from anarchon.model import State, Status
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import FAIL_BEFORE, HANG_BEFORE, Fault, Faults
from anarchon.testing.faulty import FaultyBackend
from tests.alone import open_alone

pytestmark = pytest.mark.anyio


class CountingBackend(MemoryBackend):
    """Counts the stores that are open; fails as it is told."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock=clock)
        self.open_now = 0
        self.opened = 0
        self.on_open: Exception | None = None
        self.on_close: Exception | None = None
        self.hangs_on_close = False

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Open a store and count it."""
        if self.on_open is not None:
            raise self.on_open
        async with super().open() as store:
            self.opened += 1
            self.open_now += 1
            try:
                yield store
            finally:
                self.open_now -= 1
                if self.hangs_on_close:
                    await anyio.sleep_forever()
            if self.on_close is not None:
                raise self.on_close


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


async def test_a_scheduler_works_after_a_second_start() -> None:
    """Timers, claims, watches and takeovers are those of the new life."""
    async with open_alone(lease=15, heartbeat=5) as alone:
        alone.scheduler.every("sync", "1m", nothing)
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=15)
        await anyio.sleep(1)
        await alone.scheduler.stop()
        await anyio.sleep(30)
        await alone.scheduler.start()
        slot = alone.scheduler.next_slot("sync")
        await anyio.sleep(slot / 1000 - alone.clock.time())
        await alone.rival_wins(slot, lease=15)
        await alone.until_seen(Takeover, 2)
        await alone.until_seen(Success, 3)

        assert [2, 2] == [takeover.attempt for takeover in alone.seen(Takeover)]
        assert [] == alone.seen(Error)


async def test_jobs_that_change_between_two_lives_are_known_in_the_second() -> None:
    """What is added or removed while idle counts from the next start on."""
    async with open_alone() as alone:
        alone.scheduler.every("old", "1m", nothing)
        await alone.until_seen(Success)
        await alone.scheduler.stop()
        alone.scheduler.remove("old")
        alone.scheduler.every("new", "1m", nothing)
        await alone.scheduler.start()
        await alone.until_seen(Success, 2)
        await alone.until_seen(Success, 3)

        assert ["old", "new", "new"] == [event.job for event in alone.seen(Success)]


async def test_history_can_be_read_while_idle(backend: CountingBackend) -> None:
    """Before the start and after the stop the store is opened for the call alone."""
    async with open_scheduler(backend, start=False, catch_up=0) as scheduler:
        scheduler.every("sync", "1h", nothing)
        before = await scheduler.history("sync")
        await scheduler.start()
        await scheduler.run_now("sync")
        await scheduler.stop()
        after = await scheduler.history("sync")
        last = await scheduler.last_run("sync")

        assert ([], [Status.SUCCESS]) == (before, [record.status for record in after])
        assert last == after[0]
        assert (4, 0) == (backend.opened, backend.open_now)


async def test_history_says_when_the_store_can_not_be_read() -> None:
    """Whatever the store raises, reading raises BackendUnavailable."""
    async with open_alone() as alone:
        alone.faults.always(FAIL_BEFORE, "history")
        with pytest.raises(BackendUnavailable, match="the request was lost"):
            await alone.scheduler.history("sync")
        alone.faults.always(HANG_BEFORE, "history")
        with pytest.raises(BackendUnavailable, match="no answer"):
            await alone.scheduler.last_run("sync")
        await alone.scheduler.stop()
        with pytest.raises(BackendUnavailable, match="no answer"):
            await alone.scheduler.last_run("sync")
        alone.faults.always(FAIL_BEFORE, "open")
        with pytest.raises(BackendUnavailable):
            await alone.scheduler.history("sync")


async def test_history_of_a_driver_with_its_own_errors() -> None:
    """A driver's exception, of whatever class, doesn't come out of history."""

    class DriverError(Exception):
        pass

    class BrokenStore(MemoryClaimStore):
        async def history(self, job: str, limit: int) -> list[object]:  # type: ignore[override]
            raise DriverError("relation does not exist")

    class BrokenBackend(MemoryBackend):
        @asynccontextmanager
        async def open(self) -> AsyncGenerator[MemoryClaimStore]:
            yield BrokenStore(self._data)

    async with open_scheduler(BrokenBackend(leases=False)) as scheduler:
        with pytest.raises(BackendUnavailable, match="relation does not exist"):
            await scheduler.history("sync")
        await scheduler.stop()
        with pytest.raises(BackendUnavailable, match="relation does not exist"):
            await scheduler.history("sync")


async def test_a_fault_while_closing_is_told_and_stop_returns(
    backend: CountingBackend,
) -> None:
    """A store that fails when it is closed is an error event, no exception."""
    events: list[Event] = []
    async with open_scheduler(backend) as scheduler:
        scheduler.on("error", events.append)
        backend.on_close = OSError("lost the connection")
        await scheduler.stop()
        state = scheduler.state

    assert State.IDLE == state
    [error] = events
    assert isinstance(error, Error)
    assert ("close", "OSError: lost the connection") == (error.operation, error.error)


@pytest.mark.parametrize("leaving", [False, True])
async def test_a_store_that_hangs_while_closing_is_left_behind(
    backend: CountingBackend, leaving: bool
) -> None:
    """Closing takes five seconds at most, whoever waits for it."""
    async with open_scheduler(backend) as scheduler:
        backend.hangs_on_close = True
        if not leaving:
            await scheduler.stop()

    assert State.IDLE == scheduler.state
    assert anyio.current_time() <= 5


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


async def test_a_left_block_can_not_be_started_again(
    backend: CountingBackend,
) -> None:
    """After the block nothing lives any more that could carry the scheduler."""
    async with open_scheduler(backend) as scheduler:
        pass

    with pytest.raises(SchedulerNotRunning, match="has been left"):
        await scheduler.start()
    await scheduler.stop()
    assert State.IDLE == scheduler.state


class BodyError(Exception):
    """Raised by the body of a block."""


@pytest.mark.parametrize(
    "raised",
    [
        BodyError("mine"),
        ExceptionGroup("mine", [BodyError("one"), ValueError("two")]),
        BaseExceptionGroup("mine", [KeyboardInterrupt(), ValueError("two")]),
        KeyboardInterrupt(),
        SystemExit(3),
        StopIteration("mine"),
        StopAsyncIteration("mine"),
        GeneratorExit("mine"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_the_bodys_own_exception_comes_out_as_it_was(
    raised: BaseException,
) -> None:
    """It isn't wrapped, unwrapped or replaced, and the run is handed over first."""
    told: list[Event] = []
    caught: BaseException | None = None
    clock = VirtualClock()
    backend = CountingBackend(clock)
    try:
        async with open_scheduler(backend, jitter=0, clock=clock) as scheduler:
            scheduler.on("interrupted", told.append)
            scheduler.every("sync", "1m", forever)
            with anyio.fail_after(100):
                while not scheduler.running():
                    await anyio.sleep(1)
            raise raised  # noqa: TRY301  out of the block
    except BaseException as error:  # noqa: BLE001  whatever it is
        caught = error

    assert raised is caught
    assert 0 == backend.open_now
    [interrupted] = told
    assert isinstance(interrupted, Interrupted)
    assert interrupted.handed_over


async def test_a_cancelled_host_hands_over_and_is_cancelled() -> None:
    """The stop happens under a shield; then the host's scope ends as it would have."""
    with anyio.move_on_after(90) as host:
        async with open_alone() as alone:
            alone.scheduler.every("sync", "1m", forever)
            await anyio.sleep_forever()

    assert host.cancelled_caught
    assert ["start", "interrupted"] == alone.names()
    assert alone.seen(Interrupted)[0].handed_over
    assert [True] == [record.handed_over for record in await alone.history()]


async def test_a_host_cancelled_while_it_starts_leaves_nothing_behind(
    backend: CountingBackend,
) -> None:
    """The start under way is ended with the block."""
    faults = Faults()
    faults.script("time", HANG_BEFORE)
    with anyio.move_on_after(1) as host:
        async with open_scheduler(FaultyBackend(backend, faults)):
            raise AssertionError("entered")

    assert host.cancelled_caught
    assert 0 == backend.open_now
    assert anyio.current_time() <= 6


async def test_a_host_that_is_cancelled_in_a_deadline_of_its_own() -> None:
    """A timeout inside the body that the body catches changes nothing."""
    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", nothing)
        with anyio.move_on_after(10):
            await anyio.sleep_forever()
        await alone.until_seen(Success)

        assert State.RUNNING == alone.scheduler.state


async def test_two_schedulers_may_live_in_one_block(clock: VirtualClock) -> None:
    """They share a store object as two instances of one cluster."""
    backend = MemoryBackend(clock=clock)
    told: list[Event] = []
    async with (
        open_scheduler(backend, instance_id="A", clock=clock, jitter=0) as a,
        open_scheduler(backend, instance_id="B", clock=clock, jitter=0) as b,
    ):
        for scheduler in (a, b):
            scheduler.on("start", told.append)
            scheduler.every("sync", "1m", nothing)
        await anyio.sleep(150)

    slots = [event.slot for event in told if isinstance(event, Start)]
    assert sorted(set(slots)) == sorted(slots)
    assert 2 <= len(slots) <= 3
