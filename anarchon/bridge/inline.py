"""The bridge to a store that needs no loop of its own: it is called where the host is.

Decides how bound and ``keep`` look as one cancel scope. Must not know which loop runs.
The store's cancellation is the host's here, so an operation that shields itself can
outstay its bound; the other bridges leave such a one behind.
"""

import logging
import math
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.lowlevel

from anarchon.bridge.contract import BridgeClosed, BridgeError
from anarchon.bridge.held import Held, manager_of

logger: logging.Logger = logging.getLogger("anarchon")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class InlineBridge:
    """Calls the store in the host's own task."""

    def __init__(self, close_within: float) -> None:
        self._close_within = close_within
        self._waiting: set[anyio.CancelScope] = set()
        self._closed = False
        self._process = os.getpid()

    async def call(
        self,
        operation: Callable[[*Ts], Awaitable[T]],
        *args: *Ts,
        bound: float = 30.0,
        keep: bool = False,
    ) -> T:
        """Run one store operation and return its answer, as ``Bridge.call`` says."""
        self._check_open()
        await anyio.lowlevel.checkpoint_if_cancelled()
        with anyio.move_on_after(bound, shield=keep) as limit:
            self._waiting.add(limit)
            try:
                return await operation(*args)
            except anyio.get_cancelled_exc_class() as error:
                if not _nobody_asked():
                    raise
                raise BridgeError(  # noqa: ASYNC104  else it would pass for the host's
                    "the store cancelled its own call; the outcome is unknown"
                ) from error
            finally:
                self._waiting.discard(limit)
        self._check_open()
        raise TimeoutError(f"no answer from the store within {bound:g} s")

    @asynccontextmanager
    async def hold(self, held: Held[T], *, within: float = 30.0) -> AsyncGenerator[T]:
        """Keep a context manager open in the host's task, as ``Bridge.hold`` says."""
        self._check_open()
        body_error: BaseException | None = None
        entered = False
        # this scope has to lie around the manager, which may open scopes of its own
        with anyio.move_on_after(within) as leaving:
            async with await manager_of(held) as value:
                entered, leaving.deadline = True, math.inf
                try:
                    yield value
                except BaseException as error:  # noqa: ASYNC103, BLE001  raised below
                    body_error = error
                leaving.deadline = anyio.current_time() + self._close_within
                leaving.shield = True  # deadline: one line above
        if not entered:
            raise TimeoutError(f"the store did not open within {within:g} s")
        if leaving.cancelled_caught:
            logger.warning("store did not close within %g s", self._close_within)
        if body_error is not None:
            raise body_error

    async def aclose(self) -> None:
        """Refuse further calls and end those under way."""
        self._closed = True
        for limit in self._waiting:
            limit.cancel()
        await anyio.lowlevel.cancel_shielded_checkpoint()

    def _check_open(self) -> None:
        if self._closed or os.getpid() != self._process:
            raise BridgeClosed("the bridge to the store is closed")


def _nobody_asked() -> bool:
    """Tell a store's stray cancellation from the host's; asyncio alone has them."""
    if anyio.current_effective_deadline() == -math.inf:
        return False
    import asyncio

    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and not task.cancelling()
