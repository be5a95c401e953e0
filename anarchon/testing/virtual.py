"""Loops whose time jumps instead of passing: a day in the time that its work takes.

Decides how either loop gets such a time, and nothing of what runs in it. Whatever works
in real time, a thread or a socket, has no place in these loops.
"""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar, TypeVarTuple, cast

import anyio

Loop = Literal["asyncio", "trio"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _JumpingSelector(selectors.DefaultSelector):
    """Moves ``now`` on by the time that it was asked to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(  # type: ignore[explicit-any]  # a SelectorKey has a field of it
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            # None: no timer is set that time could jump to
            return super().select(timeout)
        ready = super().select(0)
        if not ready:
            self.now += timeout
        return ready


class AutojumpLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on virtual time, which starts at zero.

    When every task waits, time jumps to the next timer. The counterpart of Trio's
    ``MockClock(autojump_threshold=0)``.
    """

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the virtual time, in seconds since the loop was made."""
        return self._jumping.now


def virtual_loop(loop: Loop) -> tuple[str, dict[str, object]]:
    """Return a loop on virtual time, as anyio's ``anyio_backend`` fixture gives it.

    Each call gives a time of its own, which starts at zero; so call it in a fixture of
    function scope. Trio is imported only when it is asked for.
    """
    match loop:
        case "asyncio":
            return loop, {"loop_factory": AutojumpLoop}
        case "trio":
            from trio.testing import MockClock

            return loop, {"clock": MockClock(autojump_threshold=0)}


def run_virtual(
    fn: Callable[[*Ts], Awaitable[T]], *args: *Ts, loop: Loop = "trio"
) -> T:
    """Run an async function from its start to its end on virtual time.

    For use outside anyio's pytest plugin, in a property test for example.
    """
    backend, options = virtual_loop(loop)
    if backend == "asyncio":
        return anyio.run(fn, *args, backend=backend, backend_options=options)
    # anyio before 4.14 drops the options of a Trio loop
    import trio

    return trio.run(fn, *args, clock=cast("trio.abc.Clock", options["clock"]))
