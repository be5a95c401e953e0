"""What takes turns in one process: the bare calls, and those of the store.

Decides what is put side by side in which loop. The drivers need asyncio, so the bare
calls are made there alone.
"""

import itertools
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import anyio

from anarchon.backends import backend_from
from anarchon.connecting import connected
from benchmarks.claim.pacing import Paces, Times, Turn, paces, timed
from benchmarks.claiming import Calls, Turns
from benchmarks.floors import Floor
from benchmarks.stores import Store

FLOOR, BY_CLIENT = "floor", "the driver's client"
ASYNCIO, TRIO, DIRECT = "asyncio", "trio", "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A store at its URL, and the claims that it is asked for turn by turn."""

    store: Store
    url: str
    turns: Turns

    @property
    def words(self) -> Sequence[str]:
        """Return the calls of an attempt that are timed, in their order."""
        return ("claim", *(("heartbeat",) if self.store.leases else ()), "finish")

    def on_asyncio(self, turns: Mapping[int, int]) -> Mapping[str, Paces]:
        """Measure the store beside the bare calls; with a goal, also without bridge."""
        return anyio.run(self._on_asyncio, turns)

    def on_trio(self, turns: Mapping[int, int]) -> Mapping[str, Paces]:
        """Measure the store as a scheduler on Trio asks it."""
        return anyio.run(self._on_trio, turns, backend="trio")

    async def _on_asyncio(self, turns: Mapping[int, int]) -> Mapping[str, Paces]:
        async with self._bare() as bare, self._calls() as (bridged, direct):
            subjects = {**bare, ASYNCIO: self._of_store(bridged, self.words)}
            if self.store.goal:
                # which tells what holds a claim back
                subjects[DIRECT] = self._of_store(direct, ("claim", "finish"))
            return await paces(subjects, turns)

    async def _on_trio(self, turns: Mapping[int, int]) -> Mapping[str, Paces]:
        async with self._calls() as (bridged, _):
            return await paces({TRIO: self._of_store(bridged, self.words)}, turns)

    @asynccontextmanager
    async def _bare(self) -> AsyncGenerator[dict[str, Turn]]:
        openings = {FLOOR: self.store.floor, BY_CLIENT: self.store.by_client}
        async with AsyncExitStack() as stack:
            yield {
                name: self._of_bare(await stack.enter_async_context(opening(self.url)))
                for name, opening in openings.items()
                if opening is not None
            }

    @asynccontextmanager
    async def _calls(self) -> AsyncGenerator[tuple[Calls, Calls]]:
        async with connected(backend_from(self.url)) as (bridge, store):
            await bridge.call(store.prepare, self.turns.jobs)
            yield (
                Calls(bridge, store, direct=False),
                Calls(bridge, store, direct=True),
            )

    def _of_bare(self, call: Floor) -> Turn:
        numbers = itertools.count()

        async def turn(callers: int) -> Mapping[str, Times]:
            things = itertools.islice(numbers, self.turns.claims)
            return {FLOOR: await timed(call, things, callers)}

        return turn

    def _of_store(self, calls: Calls, words: Sequence[str]) -> Turn:
        by_word = calls.by_word(leases=self.store.leases)

        async def turn(callers: int) -> Mapping[str, Times]:
            claims = self.turns.next()
            return {word: await timed(by_word[word], claims, callers) for word in words}

        return turn
