"""How a backend's store is reached from the running loop.

Decides which bridge leads to it: the one that came with the user's client, or a new
one. Must not know what is asked of the store.
"""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from anarchon.bridge import Bridge, open_bridge
from anarchon.protocol import Backend, ClaimStore


@asynccontextmanager
async def connected(
    backend: Backend, *, close_within: float = 5.0
) -> AsyncGenerator[tuple[Bridge, ClaimStore]]:
    """Open a backend's store, and the bridge to it unless the user brought one.

    Leaving closes both, within ``close_within`` seconds each and not cut short by a
    cancellation; a bridge that the user brought stays open.
    """
    async with (
        _bridge_to(backend, close_within) as bridge,
        bridge.hold(backend.open()) as store,
    ):
        yield bridge, store


def _bridge_to(
    backend: Backend, close_within: float
) -> AbstractAsyncContextManager[Bridge]:
    if backend.bridge is not None:
        return nullcontext(backend.bridge)
    return open_bridge(backend.needs_asyncio, close_within=close_within)
