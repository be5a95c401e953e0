"""One store, seen directly and through faults."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from anarchon.backends.memory import MemoryBackend
from anarchon.protocol import ClaimStore, LeaseStore
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import Faults
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.gate import Gate
from tests.testing.claims import a_claim


@dataclass
class World:
    """One store, seen directly and through faults."""

    faults: Faults
    gate: Gate
    faulty: LeaseStore
    direct: ClaimStore

    async def records(self) -> int:
        """Count the attempts that the store has granted."""
        return len(await self.direct.history("sync", 10))


@asynccontextmanager
async def a_world(*, leases: bool = True) -> AsyncGenerator[World]:
    """Open a memory store from both sides."""
    backend = MemoryBackend(clock=VirtualClock(), leases=leases)
    faults, gate = Faults(), Gate()
    faulty = FaultyBackend(backend, faults, gate)
    async with backend.open() as direct, faulty.open() as store:
        yield World(faults, gate, cast("LeaseStore", store), direct)


async def try_claim(world: World) -> bool:
    """Send a claim; tell whether it was answered."""
    try:
        await world.faulty.claim(a_claim())
    except ConnectionError:
        return False
    return True
