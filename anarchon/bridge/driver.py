"""The store's side of a bridge: each operation in an asyncio task of its own.

Decides what becomes of an operation's end, and of one that doesn't end. Must not know
the host's loop: whoever starts a call says what is to be done when it is over.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextvars import Context
from typing import Generic, TypeVar

from anarchon.bridge.contract import BridgeClosed, BridgeError

logger: logging.Logger = logging.getLogger("anarchon")

T = TypeVar("T")

# what a cancellation says that comes from a bridge which closes
CLOSING = "the bridge is closing"


class Call(Generic[T]):
    """One operation; ``over`` once it has a value or an error."""

    __slots__ = ("_error", "_value", "context", "on_over", "operation", "over", "task")

    def __init__(
        self,
        operation: Callable[[], Awaitable[T]],
        context: Context,
    ) -> None:
        self.operation: Callable[[], Awaitable[T]] = operation
        self.context: Context = context
        self.on_over: Callable[[], object] = bool
        self.task: asyncio.Task[None] | None = None
        self.over: bool = False
        self._value: T
        self._error: BaseException | None = None

    def succeed(self, value: T) -> None:
        """End with an answer, unless it has ended."""
        if not self.over:
            self._value = value
            self._end()

    def fail(self, error: BaseException) -> None:
        """End with an error, unless it has ended."""
        if not self.over:
            self._error = error
            self._end()

    def close(self) -> None:
        """End without an answer, unless it has ended."""
        if not self.over:  # as it mostly has, so no error is made
            self.fail(BridgeClosed("the bridge was closed before the store answered"))

    def answer(self) -> T:
        """Return the value or raise the error of a call that is over."""
        error, self._error = self._error, None
        if error is None:
            return self._value
        try:
            raise error
        finally:
            del error  # its traceback holds this frame

    def _end(self) -> None:
        self.over = True
        self.on_over()


class DriverTasks:
    """The tasks of one bridge, in the loop that the store lives in."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[None], Callable[[], None]] = {}
        self._closing = False

    def start(self, call: Call[T]) -> None:
        """Run the operation in a new task."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._drive(call), context=call.context)
        call.task = task
        self._running[task] = call.close
        task.add_done_callback(self._settle)

    def cut(self, call: Call[T]) -> None:
        """Cancel an operation that nobody waits for any more."""
        if call.task is not None:
            call.task.cancel()

    async def close(
        self, within: float, others: Iterable[asyncio.Task[object]] = ()
    ) -> None:
        """End all that is under way; what takes longer than ``within`` s is left."""
        self._closing = True
        await _end({*self._running, *others}, within)
        if self._running:
            logger.warning("store calls did not end within %g s", within)
        for close in self._running.values():
            close()

    async def _drive(self, call: Call[T]) -> None:  # noqa: ASYNC910  a task's body
        try:
            value = await call.operation()
        except asyncio.CancelledError as error:  # noqa: ASYNC103  the task ends here
            self._cancelled(call, error)
        except BaseException as error:  # noqa: BLE001  whatever it is, it is the host's
            call.fail(error)
        else:
            call.succeed(value)

    def _cancelled(self, call: Call[T], error: asyncio.CancelledError) -> None:
        if self._closing:
            return call.close()
        stray = BridgeError("the store cancelled its own call; the outcome is unknown")
        stray.__cause__ = error
        return call.fail(stray)

    def _settle(self, task: asyncio.Task[None]) -> None:
        # a task that is cancelled before its first step never enters its body
        self._running.pop(task)()


async def _end(tasks: set[asyncio.Task[object]], within: float) -> None:
    """Cancel each task once, also if it was before, and wait for all of them."""
    for task in tasks:
        if not task.cancelling():
            task.cancel(CLOSING)
    if tasks:
        await asyncio.wait(tasks, timeout=within)
    else:
        await asyncio.sleep(0)
