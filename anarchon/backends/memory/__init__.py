"""The memory backend: a store in a Python object, for tests and single processes.

Decides what may be configured and which schedulers share their data.
"""

import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio.lowlevel

from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.backends.memory.store import Data, MemoryClaimStore, MemoryLeaseStore
from anarchon.errors import InvalidOption
from anarchon.rules.names import check_namespace


class MemoryBackend:
    """A store in this object; schedulers that share the object are one cluster.

    They may live in different threads and loops. ``clock`` is the store's clock, by
    default the machine's. ``leases=False`` makes the store claim-only: each slot is
    granted once, and nobody finishes a run whose runner is gone. ``remembers`` is for
    how many seconds such a store says that it remembers a claim, ``None`` for ever.
    """

    name = "memory"
    needs_asyncio = False
    bridge = None

    def __init__(
        self,
        *,
        clock: StoreClock | None = None,
        leases: bool = True,
        namespace: str = "anarchon",
        remembers: float | None = None,
    ) -> None:
        self.leases = leases
        self.namespace: str = check_namespace(namespace)
        self.remembers = remembers
        read = time.time if clock is None else clock.time
        self._data = Data(lambda: milliseconds(read()))

    @staticmethod
    def from_url(url: str) -> "MemoryBackend":
        """Return a new store for ``memory://``, a shared one for ``memory://name``.

        A named store is shared within the process and lives as long.

        Raises:
            InvalidOption: the URL has options; there are none.
        """
        name, question_mark, _ = url.partition("://")[2].partition("?")
        if question_mark:
            raise InvalidOption(
                f"a URL of a memory store is memory:// or memory://name, not {url!r}"
            )
        if not name:
            return MemoryBackend()
        with _naming:
            return _named.setdefault(name, MemoryBackend())

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        """Yield the store. Closing it loses nothing; cancelled, nothing was opened."""
        await anyio.lowlevel.checkpoint()
        yield (MemoryLeaseStore if self.leases else MemoryClaimStore)(self._data)

    def __repr__(self) -> str:
        return f"MemoryBackend(leases={self.leases}, namespace={self.namespace!r})"


_naming = threading.Lock()
_named: dict[str, MemoryBackend] = {}
