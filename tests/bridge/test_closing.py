"""How a bridge ends: within bounds, with nothing left behind but what is told of."""

import os
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import pytest

from anarchon.bridge import Bridge, BridgeClosed, open_bridge
from tests.bridge.store import Gate, Stubborn, echo, until

pytestmark = pytest.mark.anyio


def store_threads() -> list[threading.Thread]:
    """Return the threads that bridges have started."""
    threads = threading.enumerate()
    return [thread for thread in threads if thread.name == "anarchon-store"]


async def test_closed_bridge_refuses(needs_asyncio: bool) -> None:
    """After its block a bridge sends nothing more, and says why."""
    async with open_bridge(needs_asyncio) as bridge:
        pass
    with pytest.raises(BridgeClosed, match="closed"):
        await bridge.call(echo, "late", bound=5, keep=True)


async def test_closing_ends_calls_under_way(needs_asyncio: bool) -> None:
    """Whoever waits for an answer is told that the bridge was closed."""
    gate = Gate()
    told: list[BridgeClosed] = []

    async def ask(bridge: Bridge) -> None:
        try:
            await bridge.call(gate, bound=5, keep=True)
        except BridgeClosed as error:
            told.append(error)

    async with (
        anyio.create_task_group() as group,
        open_bridge(needs_asyncio) as bridge,
    ):
        for _ in range(3):
            group.start_soon(ask, bridge)
        await until(lambda: gate.begun == 3)
    assert (3, 3) == (len(told), gate.cancelled)


async def test_closing_waits_for_drivers_that_were_left() -> None:
    """An operation that the host left at its bound has ended when the bridge has."""
    driver = Stubborn(0.2)
    async with open_bridge(True) as bridge:
        with pytest.raises(TimeoutError):
            await bridge.call(driver, bound=0.05, keep=True)
    assert (1, 1) == (driver.ended, driver.cancelled)


async def test_closing_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """A driver that doesn't end holds neither the host nor the one who waits for it."""
    driver = Stubborn(1.5)
    told: list[BridgeClosed] = []

    async def ask(bridge: Bridge) -> None:
        try:
            await bridge.call(driver, bound=10, keep=True)
        except BridgeClosed as error:
            told.append(error)

    began = time.monotonic()
    async with (
        anyio.create_task_group() as group,
        open_bridge(True, close_within=0.2) as bridge,
    ):
        group.start_soon(ask, bridge)
        await until(lambda: driver.begun)
    assert time.monotonic() - began < 1.2
    assert 1 == len(told)
    assert "did not end within 0.2 s" in caplog.text


async def test_closing_ends_what_is_held() -> None:
    """Whoever left a manager open has it left by the bridge, and soon."""
    left: list[str] = []

    @asynccontextmanager
    async def store() -> AsyncGenerator[str]:
        try:
            yield "store"
        finally:
            left.append("store")

    began = time.monotonic()
    async with open_bridge(True, close_within=5.0) as bridge, AsyncExitStack() as held:
        await held.enter_async_context(bridge.hold(store()))
        behind = held.pop_all()
    assert ["store"] == left
    assert time.monotonic() - began < 1.0
    with pytest.raises(BridgeClosed, match="closed"):
        await behind.aclose()


async def test_closing_is_not_cut_short_by_a_cancellation() -> None:
    """A host that is cancelled closes the bridge all the same."""
    driver = Stubborn(0.2)
    with anyio.CancelScope() as scope:
        async with open_bridge(True) as bridge:
            with pytest.raises(TimeoutError):
                await bridge.call(driver, bound=0.05, keep=True)
            scope.cancel()
            await anyio.sleep_forever()
    assert 1 == driver.ended


async def test_error_of_the_body_comes_out_as_it_is(needs_asyncio: bool) -> None:
    """Closing doesn't change how the block ended."""
    with pytest.raises(LookupError, match="of the body"):
        async with open_bridge(needs_asyncio):
            raise LookupError("of the body")


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_thread_ends_with_the_bridge() -> None:
    """Trio's bridge has one thread, which is gone when the bridge is."""
    async with open_bridge(True) as bridge:
        await bridge.call(echo, "hello", bound=5, keep=True)
        assert 1 == len(store_threads())
    assert [] == store_threads()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_no_thread_on_asyncio() -> None:
    """An asyncio host and its store share one loop."""
    async with open_bridge(True) as bridge:
        await bridge.call(echo, "hello", bound=5, keep=True)
        assert [] == store_threads()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_driver_that_blocks_its_loop_is_left_behind() -> None:
    """The host doesn't wait for a thread that can't end; it warns."""
    done = threading.Event()

    async def driver() -> None:
        done.wait(10)

    async def life() -> None:
        async with open_bridge(True, close_within=0.1) as bridge:
            with pytest.raises(TimeoutError):
                await bridge.call(driver, bound=0.05, keep=True)

    with pytest.warns(ResourceWarning, match="left behind"):
        await life()
    [thread] = store_threads()
    assert thread.daemon
    done.set()
    await until(lambda: not store_threads())


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_loop_survives_what_a_driver_raises_into_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A task of the driver's own that wants to end the process doesn't end the loop."""

    async def exits() -> None:
        raise SystemExit(3)

    async def driver() -> None:
        import asyncio

        task = asyncio.ensure_future(exits())
        await asyncio.wait([task])

    async with open_bridge(True) as bridge:
        await bridge.call(driver, bound=5, keep=True)
        assert await bridge.call(echo, "alive", bound=5, keep=True) == "alive"
    assert "raised out of its loop" in caplog.text


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
async def test_forked_child_is_refused(bridge: Bridge) -> None:
    """A child process that inherits a bridge is told so, and does not hang."""
    child = os.fork()
    if child == 0:
        os._exit(_refusal(bridge))
    assert _exit_code(child) == 0
    assert await bridge.call(echo, "parent", bound=5, keep=True) == "parent"


def _exit_code(child: int) -> int:
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _refusal(bridge: Bridge) -> int:
    try:
        bridge.call(echo, "child", bound=5, keep=True).send(None)
    except BridgeClosed:
        return 0
    return 1
