"""What the engine may ask of a bridge, whichever loops are on its two sides.

Decides the contract and its errors. Must not know Trio, asyncio or any store.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar, TypeVarTuple

from anarchon.bridge.held import Held
from anarchon.errors import AnarchonError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class BridgeError(AnarchonError):
    """A store call ended without an answer: whether it was carried out is unknown."""


class BridgeClosed(BridgeError):
    """The bridge was closed, or left behind by a fork; open a new one."""


class Bridge(Protocol):
    """The way from the host's loop to a store that may live in another one.

    What the store's side raises comes out in the host as it is. Only a cancellation
    that nobody asked for becomes a ``BridgeError``, so that it can't pass for one of
    the host's own.
    """

    async def call(
        self,
        operation: Callable[[*Ts], Awaitable[T]],
        *args: *Ts,
        bound: float = 30.0,
        keep: bool = False,
    ) -> T:
        """Run one store operation and return its answer.

        Args:
            operation: an async function of the store's side.
            args: plain data for it.
            bound: how many seconds, by the host loop's clock, the host waits at most.
            keep: whether the answer beats a cancellation of the host.

        Raises:
            TimeoutError: no answer within the bound; the outcome is unknown.
            BridgeClosed: nothing was sent, or closing cut the operation short.
            BridgeError: the store's side was cancelled by somebody else.

        A host that is cancelled already sends nothing. Cancelled later, with ``keep``
        it gets the answer all the same and meets the cancellation at its next
        checkpoint; without ``keep`` it leaves at once, with the outcome unknown. A
        native ``Task.cancel()`` of an asyncio host always comes out.
        """
        ...

    def hold(
        self, held: Held[T], *, within: float = 30.0
    ) -> AbstractAsyncContextManager[T]:
        """Keep a context manager of the store's side open, in one task of that side.

        ``held`` is the manager, or a function that makes it there, also an async one.

        Errors come out as they are. Entering is cut short when the host is
        cancelled or when ``within`` seconds have passed, and what was entered is left
        again; leaving is bounded by the bridge's ``close_within`` seconds, also while
        the host is cancelled.

        Raises:
            TimeoutError: it could not be entered in time.
        """
        ...


class OwnBridge(Bridge, Protocol):
    """A bridge as whoever opened it sees it."""

    async def aclose(self) -> None:
        """Refuse further calls and end those under way, within bounds.

        A cancellation of the host doesn't cut it short.
        """
        ...
