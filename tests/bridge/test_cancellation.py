"""What a cancellation of the host does to its call over a bridge."""

import asyncio
import random
import threading
import time

import anyio
import anyio.lowlevel
import pytest

from anarchon.bridge import Bridge
from tests.bridge.store import Gate, Stubborn, cancelled_once, until

pytestmark = pytest.mark.anyio

ROUNDS = 400


async def test_kept_answer_beats_the_cancellation(bridge: Bridge) -> None:
    """The answer is returned; the cancellation strikes at the next checkpoint."""
    gate = Gate()
    answer, went_on = "none", False
    async with cancelled_once(lambda: gate.begun, then=gate.open):
        answer = await bridge.call(gate, bound=5, keep=True)
        await anyio.lowlevel.checkpoint()
        went_on = True
    assert ("answer", False, 0) == (answer, went_on, gate.cancelled)


async def test_kept_error_beats_the_cancellation(bridge: Bridge) -> None:
    """An answer may be an error: it comes out in place of the cancellation."""
    gate = Gate(LookupError("no such row"))
    caught: list[Exception] = []
    async with cancelled_once(lambda: gate.begun, then=gate.open):
        try:
            await bridge.call(gate, bound=5, keep=True)
        except LookupError as error:
            caught.append(error)
    assert ["no such row"] == [error.args[0] for error in caught]


async def test_cancelled_host_waits_no_longer_than_the_bound(bridge: Bridge) -> None:
    """Without an answer the bound ends a kept call, cancelled or not."""
    gate = Gate()
    timed_out = False
    async with cancelled_once(lambda: gate.begun):
        try:
            await bridge.call(gate, bound=0.1, keep=True)
        except TimeoutError:
            timed_out = True
    assert timed_out
    await until(lambda: gate.cancelled)


async def test_read_is_cut_by_the_cancellation(bridge: Bridge) -> None:
    """Without ``keep`` the host leaves, and the operation is cancelled."""
    gate = Gate()
    async with cancelled_once(lambda: gate.begun):
        await bridge.call(gate, bound=5, keep=False)
    await until(lambda: gate.cancelled)
    assert 0 == gate.answered


async def test_read_does_not_wait_for_the_driver_to_end(driven: Bridge) -> None:
    """A cancelled host leaves a read at once, before the driver has cleaned up."""
    driver = Stubborn(0.5)
    async with cancelled_once(lambda: driver.begun):
        await driven.call(driver, bound=5, keep=False)
    assert 0 == driver.ended
    await until(lambda: driver.ended)
    assert 1 == driver.cancelled


@pytest.mark.parametrize("keep", [True, False])
async def test_cancelled_host_sends_nothing(bridge: Bridge, keep: bool) -> None:
    """A host that is cancelled already doesn't start an operation."""
    gate = Gate()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await bridge.call(gate, bound=5, keep=keep)
    await anyio.sleep(0.02)
    assert 0 == gate.begun


async def test_random_cancellations_lose_no_answer(bridge: Bridge) -> None:
    """Whatever the store granted is known to the host, whenever it was cancelled."""
    granted: list[int] = []
    known: list[int] = []
    struck = 0

    async def claim(number: int) -> int:
        await anyio.sleep(random.uniform(0, 0.001))
        granted.append(number)
        await anyio.sleep(random.uniform(0, 0.001))
        return number

    for number in range(ROUNDS):
        with anyio.move_on_after(random.uniform(0, 0.003)) as scope:
            known.append(await bridge.call(claim, number, bound=5, keep=True))
        struck += scope.cancel_called
    assert granted == known
    assert 0 < struck


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_answer_counts_that_came_while_the_host_was_blocked(
    driven: Bridge,
) -> None:
    """A host that is blocked past the bound finds the answer, not a timeout."""
    gate = Gate()
    answers: list[str] = []

    async def ask() -> None:
        answers.append(await driven.call(gate, bound=0.5, keep=True))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await until(lambda: gate.begun)
        threading.Timer(0.1, gate.open).start()
        time.sleep(1)  # noqa: ASYNC251  blocking the loop is what is tried
    assert ["answer"] == answers


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_native_cancellation_comes_out_of_a_kept_call(driven: Bridge) -> None:
    """``Task.cancel()`` is never swallowed, and doesn't cut what must not be cut."""
    gate = Gate()
    host = asyncio.ensure_future(driven.call(gate, bound=5, keep=True))
    await until(lambda: gate.begun)
    host.cancel()
    with pytest.raises(asyncio.CancelledError):
        await host
    gate.open()
    await until(lambda: gate.answered)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_native_cancellation_cuts_a_read(driven: Bridge) -> None:
    """``Task.cancel()`` ends a read as any cancellation does."""
    gate = Gate()
    host = asyncio.ensure_future(driven.call(gate, bound=5, keep=False))
    await until(lambda: gate.begun)
    host.cancel()
    with pytest.raises(asyncio.CancelledError):
        await host
    await until(lambda: gate.cancelled)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_native_cancellation_comes_out_inline(bridge: Bridge) -> None:
    """Nor is it swallowed where the store is called in the host's own task."""
    gate = Gate()
    host = asyncio.ensure_future(bridge.call(gate, bound=5, keep=True))
    await until(lambda: gate.begun)
    host.cancel()
    with pytest.raises(asyncio.CancelledError):
        await host
    gate.open()
