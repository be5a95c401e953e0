"""The way from the host's loop to a store, chosen by what both of them need.

Decides which bridge is used. Must not know any store.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anarchon.bridge.away import is_away
from anarchon.bridge.contract import Bridge, BridgeClosed, BridgeError, OwnBridge
from anarchon.bridge.inline import InlineBridge

__all__ = ["Bridge", "BridgeClosed", "BridgeError", "is_away", "open_bridge"]


@asynccontextmanager
async def open_bridge(
    needs_asyncio: bool = True,
    *,
    close_within: float = 5.0,
) -> AsyncGenerator[Bridge]:
    """Open the bridge between the running loop and a store.

    A scheduler opens its own. In a Trio program open one yourself to make a client of
    an asyncio driver behind it, and give both to the backend.

    Args:
        needs_asyncio: whether the store, or the client, can be used in an asyncio loop
            only. From asyncio that is the running one, from Trio one in a thread.
        close_within: how many seconds closing may take, and leaving what is held.

    Leaving ends calls under way: they raise ``BridgeClosed``, unless their answer came
    first. It is bounded and not cut short by a cancellation of the host.
    """
    bridge = _chosen(close_within) if needs_asyncio else InlineBridge(close_within)
    try:
        yield bridge
    finally:
        await bridge.aclose()


def _chosen(close_within: float) -> OwnBridge:
    # asyncio costs a host that doesn't use it, and Trio may be missing
    import asyncio

    try:
        host = asyncio.current_task()
    except RuntimeError:
        host = None
    if host is not None:
        from anarchon.bridge.task import TaskBridge

        return TaskBridge(close_within)
    from anarchon.bridge.thread import ThreadBridge

    return ThreadBridge(close_within)
