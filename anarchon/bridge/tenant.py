"""A context manager that is entered, kept open and left in one asyncio task.

Decides how entering and leaving are asked for from other tasks. Drivers tie scopes,
timeouts and groups to the task that entered them, so none may leave them elsewhere.
"""

import asyncio
from typing import Generic, TypeVar

from anarchon.bridge.driver import CLOSING
from anarchon.bridge.held import Held, manager_of

T = TypeVar("T")


class Tenant(Generic[T]):
    """``live`` is that task; ``opened`` and ``leave`` are asked afterwards.

    ``host`` is the task that holds it, if that lives in the same loop.
    """

    def __init__(self, held: Held[T], host: "asyncio.Task[object] | None") -> None:
        self._held = held
        self._host = host
        self._task: asyncio.Task[object] | None = None
        self._value: T
        self._error: BaseException | None = None
        self._entered = asyncio.Event()
        self._leaving = asyncio.Event()
        self._gone = asyncio.Event()

    async def live(self) -> None:  # noqa: ASYNC910  a task's body
        """Enter the manager, wait, leave it; what goes wrong is told to the others."""
        self._task = asyncio.current_task()
        try:
            async with await manager_of(self._held) as self._value:
                self._entered.set()
                await self._until_left()
        except BaseException as error:  # noqa: ASYNC103, BLE001  others raise it
            self._error = error
        finally:
            self._entered.set()
            self._gone.set()

    async def _until_left(self) -> bool:
        try:
            return await self._leaving.wait()
        except asyncio.CancelledError as error:  # noqa: ASYNC103  it is the host's
            meant = self._leaving.is_set() or error.args == (CLOSING,)
            if meant or self._host is None or self._host.done():
                raise
        # whoever cancels all tasks of the loop means the host, who leaves then or ends
        self._host.add_done_callback(lambda _: self._leaving.set())
        return await self._leaving.wait()

    async def opened(self) -> T:
        """Return what the manager yielded, or raise what entering it raised."""
        await self._entered.wait()
        self._raise()
        return self._value

    async def leave(self) -> None:
        """Leave the manager, or cut entering short; raise what leaving it raised."""
        entered = self._entered.is_set()
        self._leaving.set()
        if not entered:
            self._cut()
        try:
            await self._gone.wait()
        except asyncio.CancelledError:
            self._cut()
            raise
        if entered:
            self._raise()

    def _cut(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error
