"""One process of a race: ten claimers that ask for the same slots, in their order.

Reads its setup from standard input, opens its stores, says ``ready`` and waits to be
told the first slot. All claimers wait for the moment at which a slot is due, as
instances do, and so they meet. A process never outlives whoever started it.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread

from anarchon.backends import backend_from
from anarchon.bridge import Bridge, open_bridge
from anarchon.protocol import ClaimReply, ClaimStore, Early, Won
from tests.processes.instance import vanish_with_parent
from tests.stores.claims import SUCCESS, claim_of
from tests.stores.race_journal import Fate, RaceJournal

CLAIMERS = 10
JOB = "race"
# who is to die waits for so many slots for one that it wins
PATIENT = 50
# seconds; a server may take long to come back, and one call as long as the engine lets
PATIENCE, PAUSE, BOUND = 60.0, 0.1, 5.0

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What one process is told.

    The slots are ``step`` milliseconds apart. From the slot with the number ``dies_at``
    on it kills itself when it wins, before it could tell, and a little later anyway.
    """

    who: str
    loop: str
    url: str
    stores: int
    journal: str
    slots: int
    step: int
    dies_at: int | None = None

    def to_line(self) -> str:
        """Return the line that ``from_line`` reads."""
        return json.dumps(asdict(self)) + "\n"

    @staticmethod
    def from_line(line: str) -> "Setup":
        """Return the setup that ``to_line`` wrote."""
        return Setup(**json.loads(line))


class Claimer:
    """Asks for one slot after the other, and goes on with each until it is answered."""

    def __init__(
        self,
        name: str,
        setup: Setup,
        bridge: Bridge,
        store: ClaimStore,
        journal: RaceJournal,
    ) -> None:
        self.name = name
        self._setup = setup
        self._bridge = bridge
        self._store = store
        self._journal = journal

    async def race(self, slots: range) -> None:
        """Ask for each slot when it is due; finish the runs that were won."""
        for number, slot in enumerate(slots):
            await anyio.sleep(max(0.0, slot / 1000 - time.time()))
            token = f"{self.name}:{slot}"
            self._journal.write(Fate.ASKED, slot, token)
            won = isinstance(await self._ask_for(slot, token), Won)
            if self._dies(number, won):
                os.kill(os.getpid(), signal.SIGKILL)
            if won:
                await self._carry_out(slot, token)

    async def _ask_for(self, slot: int, token: str) -> ClaimReply:
        claim = claim_of(JOB, slot, token, self.name)
        while True:
            reply = await self._answered(slot, token, self._store.claim, claim)
            if not isinstance(reply, Early):
                return reply
            await anyio.sleep(0.001)

    def _dies(self, number: int, won: bool) -> bool:
        dies_at = self._setup.dies_at
        return dies_at is not None and number >= dies_at + (0 if won else PATIENT)

    async def _carry_out(self, slot: int, token: str) -> None:
        self._journal.write(Fate.WON, slot, token)
        finish = self._store.finish
        answer = await self._answered(slot, token, finish, JOB, slot, token, SUCCESS)
        if answer.accepted:
            self._journal.write(Fate.FINISHED, slot, token)

    async def _answered(
        self, slot: int, token: str, call: Callable[[*Ts], Awaitable[T]], *args: *Ts
    ) -> T:
        with anyio.fail_after(PATIENCE):
            while True:
                try:
                    return await self._bridge.call(call, *args, bound=BOUND, keep=True)
                except Exception:  # noqa: BLE001  any failure means "unknown"
                    self._journal.write(Fate.UNKNOWN, slot, token)
                await anyio.sleep(PAUSE)


async def run(setup: Setup) -> None:
    """Open the stores, and let the claimers begin when everybody is ready."""
    backend = backend_from(setup.url)
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(closing(RaceJournal(Path(setup.journal))))
        bridge = await stack.enter_async_context(open_bridge(backend.needs_asyncio))
        stores = [
            await stack.enter_async_context(bridge.hold(backend.open()))
            for _ in range(setup.stores)
        ]
        await bridge.call(stores[0].prepare, [JOB])
        print("ready", flush=True)
        first = int(await anyio.to_thread.run_sync(sys.stdin.readline))
        vanish_with_parent()
        slots = range(first, first + setup.slots * setup.step, setup.step)
        async with anyio.create_task_group() as group:
            for number in range(CLAIMERS):
                store = stores[number % setup.stores]
                claimer = Claimer(
                    f"{setup.who}.{number}", setup, bridge, store, journal
                )
                group.start_soon(claimer.race, slots)


if __name__ == "__main__":
    setup = Setup.from_line(sys.stdin.readline())
    anyio.run(run, setup, backend=setup.loop)
