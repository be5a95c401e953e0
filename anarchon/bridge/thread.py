"""The bridge from a Trio host to an asyncio store: a thread with a loop for the store.

Decides how the two threads tell each other. Must not know any store. What belongs to
the store's loop is touched in its thread only, and a host's task in the host's only.
"""

import asyncio
import logging
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from typing import TypeVar

import sniffio
import trio

from anarchon.bridge.away import away
from anarchon.bridge.contract import BridgeClosed
from anarchon.bridge.driven import DrivenBridge
from anarchon.bridge.driver import Call, DriverTasks
from anarchon.bridge.passage import Passage

logger: logging.Logger = logging.getLogger("anarchon")

T = TypeVar("T")

_THREAD_ENDS_WITHIN = 1.0


class ThreadBridge(DrivenBridge):
    """Runs the store's operations in a thread of its own, one hop for each."""

    def __init__(self, close_within: float) -> None:
        super().__init__(close_within)
        self._host = trio.lowlevel.current_trio_token()
        self._loop = asyncio.new_event_loop()
        self._tasks = DriverTasks()
        self._to_store = Passage(self._wake_store)
        self._to_host = Passage(self._wake_host)
        self._last_task: asyncio.Task[None] | None = None
        self._done = False
        self._gone = trio.Event()
        # A daemon, so that a driver which never ends can't keep the process alive.
        self._thread = threading.Thread(
            target=self._serve, name="anarchon-store", daemon=True
        )
        self._thread.start()

    async def aclose(self) -> None:
        """Refuse further calls and end those under way, within bounds."""
        self._closed = True
        self._to_store.send(self._begin_end)
        bound = self._close_within + _THREAD_ENDS_WITHIN
        with trio.move_on_after(bound, shield=True):
            await self._gone.wait()
        if self._gone.is_set():
            self._thread.join()
        else:
            warnings.warn(
                "a driver holds its loop; the thread is left behind",
                ResourceWarning,
                stacklevel=2,
            )

    def _context(self) -> Context:
        context = super()._context()
        context.run(sniffio.current_async_library_cvar.set, "asyncio")
        context.run(away.set, True)
        return context

    def _host_task(self) -> None:
        return None

    def _start(self, call: Call[T]) -> None:
        self._to_store.send(lambda: self._tasks.start(call))

    @trio.lowlevel.enable_ki_protection
    async def _run(self, call: Call[T]) -> None:
        host: trio.lowlevel.Task | None = trio.lowlevel.current_task()

        def wake() -> None:
            if host is not None:
                trio.lowlevel.reschedule(host)

        def leave(_: object) -> trio.lowlevel.Abort:
            nonlocal host
            host = None
            return trio.lowlevel.Abort.SUCCEEDED

        call.on_over = lambda: self._to_host.send(wake)
        self._start(call)
        await trio.lowlevel.wait_task_rescheduled(leave)

    def _cut(self, call: Call[T]) -> None:
        with suppress(BridgeClosed):  # a loop that has ended has cut all calls
            self._to_store.send(lambda: self._tasks.cut(call))

    def _wake_store(self, receive: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(receive)
        except RuntimeError as error:
            raise BridgeClosed("the loop of the store has ended") from error

    def _wake_host(self, receive: Callable[[], object]) -> None:
        with suppress(trio.RunFinishedError):
            self._host.run_sync_soon(receive)

    def _serve(self) -> None:
        """Be the thread: run the loop until it is done, whatever drivers raise."""
        while not self._done:
            try:
                self._loop.run_forever()
            except BaseException:  # noqa: ASYNC103  no task runs here
                logger.exception("a driver raised out of its loop")
        try:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()
            self._wake_host(self._gone.set)

    def _begin_end(self) -> None:
        # the loop itself holds its tasks weakly
        self._last_task = self._loop.create_task(self._end())

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await self._tasks.close(self._close_within, others)
        self._done = True
        self._loop.stop()
