"""A bridge of each kind: to a store in the host's loop, and to one in an asyncio loop.

With the two loops of the host that makes all there are: inline twice, task and thread.
"""

from collections.abc import AsyncGenerator

import pytest

from anarchon.bridge import Bridge, open_bridge


@pytest.fixture(params=[False, True], ids=["inline", "driven"])
def needs_asyncio(request: pytest.FixtureRequest) -> bool:
    """Say what the store needs."""
    needs: bool = request.param
    return needs


@pytest.fixture
async def bridge(needs_asyncio: bool) -> AsyncGenerator[Bridge]:
    """Open a bridge of each kind."""
    async with open_bridge(needs_asyncio, close_within=2.0) as bridge:
        yield bridge


@pytest.fixture
async def driven() -> AsyncGenerator[Bridge]:
    """Open a bridge to an asyncio store, from either loop."""
    async with open_bridge(True, close_within=2.0) as bridge:
        yield bridge
