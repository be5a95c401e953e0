"""The host's side of a bridge whose store lives in an asyncio loop.

Decides who waits for whom, and how long. Must not know which loop the host runs in.

Drivers are written for asyncio's cancellation, which strikes once; the host's scopes
strike again at every wait, which makes drivers spin in their clean-up and lose answers
that were on their way. So an operation always runs in a task of its own, out of reach
of the host's scopes, and the host waits for its end inside one scope of this file:

- Its deadline is the bound. The host never waits longer, whatever the driver does.
- With ``keep`` it shields. So only two things end the wait before the answer does: the
  deadline, and what pierces shields, a native cancellation or Ctrl+C. Waiting on, and
  returning the answer, is all that "the answer beats the cancellation" takes: the
  host's scope strikes again at the next checkpoint.
- Whenever the host leaves without an answer, the operation is nobody's any more. It is
  cancelled once and left to the bridge, which sees to its end when it closes. The one
  exception is a kept operation left by what pierces shields: it isn't cut, since a
  write that is cut costs a connection and leaves more in doubt than one that goes on.
- An answer that is there when the host leaves at its deadline still counts: a host
  that was blocked for longer than the bound finds both at once on waking.
"""

import asyncio
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.lowlevel

from anarchon.bridge.contract import BridgeClosed
from anarchon.bridge.driver import Call
from anarchon.bridge.held import Held
from anarchon.bridge.tenant import Tenant

logger: logging.Logger = logging.getLogger("anarchon")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class DrivenBridge(ABC):
    """What both bridges to an asyncio store have in common."""

    def __init__(self, close_within: float) -> None:
        self._close_within = close_within
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
        call = Call(lambda: operation(*args), self._context())
        answered = False
        with anyio.move_on_after(bound, shield=keep) as limit:
            try:
                await self._run(call)
            finally:
                answered = call.over
                if not answered and (limit.cancel_called or not keep):
                    self._cut(call)
        if not answered:
            raise TimeoutError(f"no answer from the store within {bound:g} s")
        return call.answer()

    @asynccontextmanager
    async def hold(self, held: Held[T], *, within: float = 30.0) -> AsyncGenerator[T]:
        """Keep a context manager open on the store's side, as ``Bridge.hold`` says."""
        self._check_open()
        tenant = Tenant(held, self._host_task())
        self._start(Call(tenant.live, self._context()))
        try:
            yield await self.call(tenant.opened, bound=within, keep=False)
        finally:
            # the shield lets the call start although the host is cancelled
            with anyio.move_on_after(2 * self._close_within, shield=True):
                await self._leave(tenant)

    async def _leave(self, tenant: Tenant[T]) -> None:  # noqa: ASYNC910  call() does
        try:
            await self.call(tenant.leave, bound=self._close_within, keep=True)
        except TimeoutError:
            logger.warning("store did not close within %g s", self._close_within)

    def _check_open(self) -> None:
        if self._closed:
            raise BridgeClosed("the bridge to the store is closed")
        if os.getpid() != self._process:
            raise BridgeClosed("the bridge to the store was opened before a fork")

    def _context(self) -> Context:
        return copy_context()

    @abstractmethod
    def _host_task(self) -> asyncio.Task[object] | None:
        """Return the host's running task, if the store's side is in the same loop."""

    @abstractmethod
    def _start(self, call: Call[T]) -> None:
        """Have the call started on the store's side, without waiting."""

    @abstractmethod
    async def _run(self, call: Call[T]) -> None:
        """Start the call and wait until it is over."""

    @abstractmethod
    def _cut(self, call: Call[T]) -> None:
        """Have the call cancelled on the store's side, without waiting."""

    @abstractmethod
    async def aclose(self) -> None:
        """Refuse further calls and end those under way, within bounds."""
