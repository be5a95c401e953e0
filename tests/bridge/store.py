"""Operations of a store that does what a test needs, in whichever loop it is called."""

import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel


async def until(condition: Callable[[], object], within: float = 5.0) -> None:
    """Wait until a condition holds, which another thread may bring about."""
    with anyio.fail_after(within):
        while not condition():
            await anyio.sleep(0.001)


@asynccontextmanager
async def cancelled_once(
    begun: Callable[[], object], then: Callable[[], object] = bool
) -> AsyncGenerator[None]:
    """Cancel the block once something has begun; a moment later do something else."""

    async def strike(scope: anyio.CancelScope) -> None:
        await until(begun)
        scope.cancel()
        await anyio.sleep(0.02)
        then()

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            group.start_soon(strike, scope)
            yield


async def echo(value: str) -> str:
    """Answer with what was asked, after a turn of the loop."""
    await anyio.lowlevel.checkpoint()
    return value


class Gate:
    """An operation that waits until it is let through, and tells how it fares."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun = 0
        self.answered = 0
        self.cancelled = 0
        self._error = error
        self._open = threading.Event()

    def open(self) -> None:
        """Let it through, from any thread."""
        self._open.set()

    async def __call__(self) -> str:
        """Answer once the gate is open."""
        self.begun += 1
        try:
            while not self._open.is_set():
                await anyio.sleep(0.001)
        except anyio.get_cancelled_exc_class():
            self.cancelled += 1
            raise
        self.answered += 1
        if self._error is not None:
            raise self._error
        return "answer"


class Stubborn:
    """An operation that takes its time to end once it is cancelled."""

    def __init__(self, seconds: float) -> None:
        self.begun = 0
        self.cancelled = 0
        self.ended = 0
        self._seconds = seconds

    async def __call__(self) -> None:
        """Wait for the cancellation, and then for ``seconds`` all the same."""
        self.begun += 1
        end = float("inf")
        while time.monotonic() < end:
            try:
                await anyio.sleep(0.005)
            except anyio.get_cancelled_exc_class():
                self.cancelled += 1
                end = min(end, time.monotonic() + self._seconds)
        self.ended += 1
