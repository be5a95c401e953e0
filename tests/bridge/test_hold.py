"""A context manager that a bridge keeps open on the store's side."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import anyio.lowlevel
import pytest

from anarchon.bridge import Bridge, open_bridge
from tests.bridge.store import Gate, cancelled_once, until

pytestmark = pytest.mark.anyio


class Place:
    """A managed resource that notes where it is entered and left."""

    def __init__(self) -> None:
        self.tasks: list[int] = []
        self.left = False

    @asynccontextmanager
    async def open(self, slowly: float = 0.0) -> AsyncGenerator[str]:
        """Be entered; take some time to be left."""
        self.tasks.append(anyio.get_current_task().id)
        # breaks if it is left in another task or out of order
        async with anyio.create_task_group():
            try:
                yield "place"
            finally:
                await anyio.sleep(slowly)
                self.tasks.append(anyio.get_current_task().id)
                self.left = True


async def test_manager_is_entered_and_left_in_one_task(bridge: Bridge) -> None:
    """The host gets what the manager yields, and the manager one task for its life."""
    place = Place()
    async with bridge.hold(place.open()) as value:
        assert ("place", False) == (value, place.left)
    entered, left = place.tasks
    assert entered == left


async def test_function_makes_the_manager_where_it_is_entered(bridge: Bridge) -> None:
    """A driver's manager may belong to the loop that it is made in."""
    place = Place()
    made: list[int] = []

    def make() -> AbstractAsyncContextManager[str]:
        made.append(anyio.get_current_task().id)
        return place.open()

    async def make_slowly() -> AbstractAsyncContextManager[str]:
        await anyio.sleep(0.01)
        return make()

    for function in (make, make_slowly):
        async with bridge.hold(function) as value:
            assert "place" == value
    assert made == place.tasks[::2] == place.tasks[1::2]


async def test_managers_nest(bridge: Bridge) -> None:
    """Several can be held, and are left in the order of their blocks."""
    outer, inner = Place(), Place()
    async with bridge.hold(outer.open()):
        async with bridge.hold(inner.open()):
            pass
        assert (False, True) == (outer.left, inner.left)
    assert outer.left


async def test_error_of_entering_comes_out(bridge: Bridge) -> None:
    """Entering fails in the host with the manager's own error."""
    gate = Gate(LookupError("no such host"))
    gate.open()

    @asynccontextmanager
    async def broken() -> AsyncGenerator[None]:
        await gate()
        yield

    with pytest.raises(LookupError, match="no such host"):
        async with bridge.hold(broken()):
            pytest.fail("entered")


async def test_error_of_leaving_comes_out(bridge: Bridge) -> None:
    """So does leaving."""

    @asynccontextmanager
    async def broken() -> AsyncGenerator[None]:
        yield
        raise LookupError("connection lost")

    with pytest.raises(LookupError, match="connection lost"):
        async with bridge.hold(broken()):
            pass


async def test_error_of_the_body_comes_out_as_it_is(bridge: Bridge) -> None:
    """The body's error is the host's, and the manager is left all the same."""
    place = Place()
    error = LookupError("of the body")
    with pytest.raises(LookupError) as caught:
        async with bridge.hold(place.open()):
            raise error
    assert error is caught.value
    assert place.left


async def test_cancelled_host_leaves_properly(bridge: Bridge) -> None:
    """A host that is cancelled leaves the manager in full, however long that takes."""
    place = Place()
    with anyio.CancelScope() as scope:
        async with bridge.hold(place.open(slowly=0.1)):
            scope.cancel()
            await anyio.sleep_forever()
    assert place.left


async def test_cancelled_host_does_not_enter(bridge: Bridge) -> None:
    """Entering ends when the host is cancelled, and what had begun is cleaned up."""
    gate = Gate()
    cleaned: list[bool] = []

    @asynccontextmanager
    async def opening() -> AsyncGenerator[None]:
        try:
            await gate()
            yield
        finally:
            cleaned.append(True)

    entered = False
    async with cancelled_once(lambda: gate.begun), bridge.hold(opening()):
        entered = True
    assert (False, 1, [True]) == (entered, gate.cancelled, cleaned)


async def test_entering_is_bounded(bridge: Bridge) -> None:
    """A store that never opens holds nobody for longer, and is cleaned up."""
    gate = Gate()
    with pytest.raises(TimeoutError):
        async with bridge.hold(_opened_after(gate), within=0.05):
            pytest.fail("it was entered")
    assert 1 == gate.cancelled


@asynccontextmanager
async def _opened_after(gate: Gate) -> AsyncGenerator[None]:
    await gate()
    yield


async def test_random_cancellations_leave_nothing_open(bridge: Bridge) -> None:
    """Whatever was entered is left, whenever the host was cancelled."""
    entered = left = 0

    @asynccontextmanager
    async def place() -> AsyncGenerator[None]:
        nonlocal entered, left
        await anyio.sleep(random.uniform(0, 0.001))
        entered += 1
        yield
        await anyio.sleep(random.uniform(0, 0.001))
        left += 1

    for _ in range(200):
        with anyio.move_on_after(random.uniform(0, 0.003)):
            async with bridge.hold(place()):
                await anyio.sleep(random.uniform(0, 0.001))
    assert 0 < entered
    assert entered == left


async def test_leaving_is_bounded(
    needs_asyncio: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that doesn't close holds the host for ``close_within`` seconds only."""
    place = Place()
    async with open_bridge(needs_asyncio, close_within=0.1) as bridge:
        began = time.monotonic()
        async with bridge.hold(place.open(slowly=30)):
            pass
        assert time.monotonic() - began < 5
    assert "did not close within 0.1 s" in caplog.text


async def test_held_store_can_be_called(bridge: Bridge) -> None:
    """What is held lives in the loop that calls are made in."""

    class Store:
        def __init__(self) -> None:
            self.loop = anyio.lowlevel.current_token()

        async def same_loop(self) -> bool:
            await anyio.lowlevel.checkpoint()
            return self.loop == anyio.lowlevel.current_token()

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Store]:
        yield Store()

    async with bridge.hold(opened()) as store:
        assert await bridge.call(store.same_loop, bound=5, keep=True)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_end_of_the_loops_tasks_is_not_the_managers() -> None:
    """The host, who is cancelled with them, may have something left to call."""
    place, before = Place(), asyncio.all_tasks()
    async with (
        open_bridge(True, close_within=2.0) as driven,
        driven.hold(place.open()),
    ):
        for task in asyncio.all_tasks() - before:
            task.cancel()
        await anyio.sleep(0.02)
        assert not place.left
    assert place.left


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_native_cancellation_comes_out_of_the_body(driven: Bridge) -> None:
    """``Task.cancel()`` of the host is never swallowed, and the manager is left."""
    place = Place()

    async def host() -> None:
        async with driven.hold(place.open(slowly=0.05)):
            await anyio.sleep_forever()

    task = asyncio.ensure_future(host())
    await until(lambda: place.tasks)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert place.left
