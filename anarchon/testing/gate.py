"""The gate between an instance and the world: how one is frozen or killed.

Decides when whoever comes by is held. Knows neither stores nor schedulers.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import anyio

LONGEST_FREEZE = 86_400.0


class Gate:
    """Holds an instance's calls and sleeps, as a frozen process would.

    Freezing, thawing and cutting are plain calls, allowed from any thread.
    """

    def __init__(self) -> None:
        self.frozen: bool = False
        self.cut: bool = False
        self._wake_ups: list[Callable[[], object]] = []

    def freeze(self) -> None:
        """Hold whoever comes by from now on."""
        self.frozen = True

    def thaw(self) -> None:
        """Let everybody go on."""
        self.frozen = False
        waiting, self._wake_ups = self._wake_ups, []
        for wake_up in waiting:
            wake_up()

    def kill(self) -> None:
        """Cut the instance off for good; nobody is held any more."""
        self.cut = True
        self.thaw()

    async def hold(self) -> None:  # noqa: ASYNC910  an open gate is no wait
        """Return at once, or when thawed.

        Not even a cancellation gets through to somebody frozen; it is delivered at the
        next checkpoint after the thaw. A freeze that nobody ends is over in a day.
        """
        while self.frozen:
            thawed = anyio.Event()
            self._wake_ups.append(_from_any_thread(thawed.set))
            with anyio.move_on_after(LONGEST_FREEZE, shield=True) as scope:
                await thawed.wait()
            if scope.cancelled_caught:
                return


def _from_any_thread(wake_up: Callable[[], None]) -> Callable[[], object]:
    # a store of asyncio's lives in another thread when the host is Trio
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        import trio

        return partial(trio.lowlevel.current_trio_token().run_sync_soon, wake_up)
    return partial(loop.call_soon_threadsafe, wake_up)
