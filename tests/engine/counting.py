"""A memory store that counts its openings, and fails as it is told."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from anarchon import MemoryBackend
from anarchon.backends.memory.store import MemoryClaimStore
from anarchon.testing.clocks import VirtualClock


class CountingBackend(MemoryBackend):
    """Counts the stores that are open; fails as it is told."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock=clock)
        self.open_now = 0
        self.opened = 0
        self.on_open: Exception | None = None
        self.on_close: Exception | None = None
        self.hangs_on_close = False

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Open a store and count it."""
        if self.on_open is not None:
            raise self.on_open
        async with super().open() as store:
            self.opened += 1
            self.open_now += 1
            try:
                yield store
            finally:
                self.open_now -= 1
                if self.hangs_on_close:
                    await anyio.sleep_forever()
            if self.on_close is not None:
                raise self.on_close
