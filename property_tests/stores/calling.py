"""A store in a loop of its own, called step by step from tests without a loop.

Decides how a call gets there. Must not know any store.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from itertools import count
from typing import TypeVar, TypeVarTuple

from anyio.from_thread import BlockingPortal, start_blocking_portal

from anarchon.model import RunRecord
from anarchon.protocol import Backend, ClaimStore
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import Link, linked

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class OpenStore:
    """An open store and its clock. Each example has jobs that no other example had."""

    def __init__(self, portal: BlockingPortal, link: Link, clock: ManualClock) -> None:
        self.clock = clock
        self.store: ClaimStore = link.store
        self._portal = portal
        self._link = link
        self._examples = count(1)

    def call(self, operation: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """Carry out one operation of the store, as the engine would."""
        return self._portal.call(self._link.call, operation, *args)

    def histories(self, jobs: Iterable[str], limit: int) -> list[list[RunRecord]]:
        """Read the newest records of each job, on one way there and back."""

        async def read() -> list[list[RunRecord]]:
            history = self.store.history
            return [await self._link.call(history, job, limit) for job in jobs]

        return self._portal.call(read)

    def new_jobs(self, letters: str) -> list[str]:
        """Prepare a job for each letter, and return their names."""
        example = next(self._examples)
        names = [f"{letter}{example}" for letter in letters]
        self.call(self.store.prepare, names)
        return names


@contextmanager
def opened(backend: Backend, clock: ManualClock, loop: str) -> Generator[OpenStore]:
    """Open a store, with ``clock`` as its clock, in a new loop of this kind."""
    with (
        start_blocking_portal(loop) as portal,
        portal.wrap_async_context_manager(linked(backend)) as link,
    ):
        yield OpenStore(portal, link, clock)
