"""Native cancellations of an asyncio task, which no cancel scope has sent.

Decides how they are noticed and taken back. Trio has none. Must not know whose code
caused them, nor what they mean to it.
"""

import math
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVarTuple

import anyio
import anyio.lowlevel

from anarchon.bridge.interrupts import spared

Ts = TypeVarTuple("Ts")


def is_stray() -> bool:
    """Whether no cancel scope can have sent the cancellation that was just caught."""
    return anyio.current_effective_deadline() > -math.inf


class StrayCancellations:
    """Those that befall the running task from now on.

    Taken back they are forgotten: asyncio counts them, and a scope that is left while
    the count is raised lets a cancellation through that it should have caught.
    """

    __slots__ = ("_before", "_task")

    def __init__(self) -> None:
        # where asyncio isn't loaded nobody runs in it
        asyncio = sys.modules.get("asyncio")
        try:
            self._task = None if asyncio is None else asyncio.current_task()
        except RuntimeError:
            self._task = None
        self._before = 0 if self._task is None else self._task.cancelling()

    @property
    def possible(self) -> bool:
        """Whether there may be one; scopes that were not left yet are counted too."""
        return self._task is not None and self._task.cancelling() > self._before

    async def settle(self) -> None:  # noqa: ASYNC910  mostly there is none
        """Forget them; call this once the scopes that were entered since are left."""
        if self.possible:
            # one that has not struck yet would strike whoever awaits next
            with suppress(anyio.get_cancelled_exc_class()):
                await anyio.lowlevel.cancel_shielded_checkpoint()
        while self._task is not None and self._task.cancelling() > self._before:
            self._task.uncancel()


@spared
async def always_anew(  # noqa: ASYNC910  a task's body
    work: Callable[[*Ts], Awaitable[object]], *args: *Ts
) -> object:
    """Do some work, and begin it anew whenever a stray cancellation cuts it short.

    Such a one that came out of a task would cancel its whole group.
    """
    while True:
        stray = StrayCancellations()
        try:
            return await work(*args)
        except anyio.get_cancelled_exc_class():  # noqa: ASYNC103  it goes on
            if not is_stray():
                raise
            await stray.settle()  # noqa: ASYNC102  it shields its one checkpoint
