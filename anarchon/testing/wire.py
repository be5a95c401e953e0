"""The wire between an instance and its store: where faults are carried out.

Decides what a fault does to a call. Must not know what the calls mean.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Generic, NoReturn, TypeVar, TypeVarTuple, cast

import anyio
from anyio.abc import TaskGroup

from anarchon.testing.faults import Call, Fault, Faults, Lost
from anarchon.testing.gate import Gate

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Wire:
    """Carries calls to a store through the faults, and writes them down."""

    def __init__(self, faults: Faults, gate: Gate, network: TaskGroup) -> None:
        self._faults = faults
        self._gate = gate
        self._network = network

    async def call(
        self, operation: str, method: Callable[[*Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        """Call the store, if and when the gate lets the call and its reply through."""
        await self._gate.hold()
        self._refuse_if_cut(operation)
        try:
            reply = await self._written_down(operation, method, *args)
        finally:
            await self._gate.hold()  # noqa: ASYNC102  it shields itself, bounded
        self._refuse_if_cut(operation)
        return reply

    def _refuse_if_cut(self, operation: str) -> None:
        if self._gate.cut:
            raise ConnectionError(f"{operation}: this instance is cut off")

    async def _written_down(
        self, operation: str, method: Callable[[*Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        write_down = partial(self._write_down, operation, args, anyio.current_time())
        try:
            reply = await self._exchange(operation, partial(method, *args))
        except BaseException as error:
            write_down(error=error)
            raise
        write_down(reply=reply)
        return reply

    def _write_down(
        self,
        operation: str,
        args: tuple[object, ...],
        sent: float,
        *,
        reply: object = None,
        error: BaseException | None = None,
    ) -> None:
        call = Call(
            time=anyio.current_time(),
            sent=sent,
            operation=operation,
            args=args,
            reply=reply,
            error=error,
        )
        self._faults.log.append(call)

    async def _exchange(self, operation: str, request: Callable[[], Awaitable[T]]) -> T:
        fault = self._faults.meet(operation)
        if fault.lost is Lost.REQUEST:
            await _lose(operation, fault)
        if fault.copy_after is not None:
            self._send(request, fault.copy_after)
        reply = await self._deliver(request, fault.request_delay)
        if fault.lost is Lost.REPLY:
            await _lose(operation, fault)
        if fault.reply_delay:
            await anyio.sleep(fault.reply_delay)
        return reply

    async def _deliver(self, request: Callable[[], Awaitable[T]], delay: float) -> T:
        if not delay:
            return await request()
        return await self._send(request, delay).wait()

    def _send(self, request: Callable[[], Awaitable[T]], delay: float) -> "_Outcome[T]":
        outcome = _Outcome[T]()
        self._network.start_soon(outcome.travel, request, delay)
        return outcome


class _Outcome(Generic[T]):
    """What becomes of a request that arrives whether or not its sender still waits."""

    def __init__(self) -> None:
        self._known = anyio.Event()
        self._reply: T | None = None
        self._error: Exception | None = None

    async def travel(self, request: Callable[[], Awaitable[T]], delay: float) -> None:
        await anyio.sleep(delay)
        try:
            self._reply = await request()
        except Exception as error:  # noqa: BLE001  it is the sender's, not the network's
            self._error = error
        self._known.set()

    async def wait(self) -> T:
        await self._known.wait()
        if self._error is not None:
            raise self._error
        return cast("T", self._reply)


async def _lose(operation: str, fault: Fault) -> NoReturn:
    if fault.silent:
        await anyio.sleep_forever()
    raise ConnectionError(f"{operation}: the {fault.lost} was lost")
