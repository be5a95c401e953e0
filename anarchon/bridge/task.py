"""The bridge from an asyncio host to an asyncio store: one loop, a task for each call.

Decides how the host's task waits. Must not know any store.
"""

import asyncio
from typing import TypeVar

import anyio

from anarchon.bridge.driven import DrivenBridge
from anarchon.bridge.driver import Call, DriverTasks

T = TypeVar("T")


class TaskBridge(DrivenBridge):
    """Runs the store's operations beside the host, in the same loop."""

    def __init__(self, close_within: float) -> None:
        super().__init__(close_within)
        self._loop = asyncio.get_running_loop()
        self._tasks = DriverTasks()

    async def aclose(self) -> None:
        """Refuse further calls and end those under way, within bounds."""
        self._closed = True
        with anyio.move_on_after(2 * self._close_within, shield=True):
            await self._tasks.close(self._close_within)

    def _host_task(self) -> asyncio.Task[object] | None:
        return asyncio.current_task()

    def _start(self, call: Call[T]) -> None:
        self._tasks.start(call)

    async def _run(self, call: Call[T]) -> None:
        over = self._loop.create_future()

        def wake() -> None:
            if not over.done():  # it is when the host was cancelled
                over.set_result(None)

        call.on_over = wake
        self._start(call)
        await over

    def _cut(self, call: Call[T]) -> None:
        self._tasks.cut(call)
