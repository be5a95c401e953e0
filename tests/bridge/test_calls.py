"""What a call over a bridge brings back: the answer, the error, or that none came."""

import asyncio
import traceback
from contextvars import ContextVar

import anyio
import anyio.lowlevel
import pytest

from anarchon.bridge import Bridge, BridgeError
from tests.bridge.store import Gate, Stubborn, echo, until

pytestmark = pytest.mark.anyio

TRACE = ContextVar("TRACE", default="none")


@pytest.mark.parametrize("keep", [True, False])
async def test_answer_comes_back(bridge: Bridge, keep: bool) -> None:
    """The caller gets what the operation returned for its arguments."""
    assert await bridge.call(echo, "hello", bound=5, keep=keep) == "hello"


async def test_many_calls_each_get_their_own_answer(bridge: Bridge) -> None:
    """Answers of calls at the same time are never mixed up."""
    answers: dict[str, str] = {}

    async def ask(value: str) -> None:
        answers[value] = await bridge.call(echo, value, bound=5, keep=True)

    async with anyio.create_task_group() as group:
        for number in range(300):
            group.start_soon(ask, str(number))
    assert {str(number): str(number) for number in range(300)} == answers


async def test_error_comes_out_as_it_is(bridge: Bridge) -> None:
    """The caller gets the very error, with the frames of the driver in it."""
    error = LookupError("no such row")

    async def driver() -> None:
        raise error

    with pytest.raises(LookupError) as caught:
        await bridge.call(driver, bound=5, keep=True)
    assert error is caught.value
    assert "driver" in {
        frame.name for frame in traceback.extract_tb(error.__traceback__)
    }


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt()])
async def test_exit_in_a_driver_reaches_the_host(
    bridge: Bridge, end: BaseException
) -> None:
    """A driver that wants to end the process tells the host; the bridge goes on."""

    async def driver() -> None:
        raise end

    with pytest.raises(type(end)):
        await bridge.call(driver, bound=5, keep=True)
    assert await bridge.call(echo, "still here", bound=5, keep=True) == "still here"


async def test_context_reaches_the_driver(bridge: Bridge) -> None:
    """What the host set in its context variables is read by the operation."""

    async def driver() -> str:
        return TRACE.get()

    TRACE.set("host")
    assert await bridge.call(driver, bound=5, keep=True) == "host"


async def test_driver_is_in_asyncio(driven: Bridge) -> None:
    """A driver on the store's side finds an asyncio loop and a task of its own."""

    async def driver() -> bool:
        await anyio.lowlevel.checkpoint()  # works by what anyio believes about the loop
        return asyncio.current_task() is not None

    assert await driven.call(driver, bound=5, keep=True)


@pytest.mark.parametrize("keep", [True, False])
async def test_bound_ends_the_wait(bridge: Bridge, keep: bool) -> None:
    """Without an answer within the bound the host is told that there is none."""
    gate = Gate()
    with anyio.fail_after(2), pytest.raises(TimeoutError, match=r"within 0\.05 s"):
        await bridge.call(gate, bound=0.05, keep=keep)
    await until(lambda: gate.cancelled)


async def test_host_leaves_a_driver_that_does_not_end(driven: Bridge) -> None:
    """The host is free at the bound, whatever the driver does about its end."""
    driver = Stubborn(0.5)
    with pytest.raises(TimeoutError):
        await driven.call(driver, bound=0.05, keep=True)
    assert driver.ended == 0
    await until(lambda: driver.ended)


async def test_driver_is_cancelled_once(driven: Bridge) -> None:
    """A driver that is busy with its clean-up isn't struck again and again."""
    driver = Stubborn(0.1)
    with pytest.raises(TimeoutError):
        await driven.call(driver, bound=0.02, keep=False)
    await until(lambda: driver.ended)
    assert driver.cancelled == 1


async def test_stray_cancellation_becomes_an_error(driven: Bridge) -> None:
    """A driver's cancellation that nobody asked for can't pass for the host's."""

    async def driver() -> None:
        raise asyncio.CancelledError

    with pytest.raises(BridgeError, match="cancelled its own call"):
        await driven.call(driver, bound=5, keep=True)
    await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_stray_cancellation_becomes_an_error_inline(bridge: Bridge) -> None:
    """So it is for a store that is called in the host's own task."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.cancel()

    async def driver() -> None:
        await future

    with pytest.raises(BridgeError, match="cancelled its own call"):
        await bridge.call(driver, bound=5, keep=True)
