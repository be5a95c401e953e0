"""A worker of a race: its own thread, its own loop, its own connection to the store.

Decides when each request counts as begun and ended. Must not know what is asked.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from anarchon.bridge import Bridge
from anarchon.connecting import connected
from anarchon.protocol import Backend, Claim, ClaimStore, Won
from anarchon.testing.conformance import ManualClock
from property_tests.races.laws import Asked
from property_tests.races.linearizing import Operation
from property_tests.races.plans import Ask, Step
from property_tests.races.requests import Finish, Heartbeat, Release, Request, sent

if TYPE_CHECKING:
    from concurrent.futures import Future

# seconds
BOUND = 15.0
# an instance asks about several jobs at once, and what waits may go together
LANES = 4


class Worker:
    """A connection to a store whose clock is ``clock``, or else goes by itself."""

    def __init__(
        self, name: str, bridge: Bridge, store: ClaimStore, clock: ManualClock | None
    ) -> None:
        self._name = name
        self._bridge = bridge
        self._store = store
        self._clock = clock
        self._won: Claim | None = None

    async def prepare(self, jobs: Sequence[str]) -> int | None:
        """Create what these jobs need, and return the store's time."""
        self._won = None
        await self._bridge.call(self._store.prepare, jobs, bound=BOUND)
        return await self._bridge.call(self._store.time, bound=BOUND)

    async def play(self, steps: Sequence[Step], go: int) -> list[Asked]:
        """Go from step to step in two tasks; return what was asked and answered.

        They begin at the instant ``go``, by ``time.perf_counter_ns``.
        """
        asked: list[Asked] = []
        _sleep_until(go)
        async with anyio.create_task_group() as tasks:
            for lane in range(LANES):
                tasks.start_soon(self._play, steps[lane::LANES], asked)
        return asked

    async def _play(self, steps: Sequence[Step], asked: list[Asked]) -> None:
        for step in steps:
            if isinstance(step, Ask):
                asked.append(await self._ask(step))
            else:
                await self._let_pass(step.ms)

    async def _ask(self, step: Ask) -> Asked:
        request = self._about_own(step.request) if step.own else step.request
        reply = None
        began = time.perf_counter_ns()
        with anyio.move_on_after(step.patience):
            reply = await self._bridge.call(sent, request, self._store, bound=BOUND)
        ended = time.perf_counter_ns()
        if isinstance(request, Claim) and isinstance(reply, Won):
            self._won = request
        return Operation(
            by=self._name,
            began=began,
            request=request,
            ended=None if reply is None else ended,
            reply=reply,
        )

    def _about_own(self, request: Request) -> Request:
        if self._won is None or not isinstance(request, Heartbeat | Release | Finish):
            return request
        won = self._won
        return replace(request, job=won.job, slot=won.slot, token=won.token)

    async def _let_pass(self, ms: int) -> None:
        if self._clock is None:
            await anyio.sleep(ms / 1000)
        else:
            self._clock.ms += ms


class Hired(Protocol):
    """A worker who is somewhere else, told what to do."""

    def prepare(self, jobs: Sequence[str]) -> int | None:
        """Create what these jobs need, and return the store's time."""
        ...

    def play(self, steps: Sequence[Step], go: int) -> "Future[list[Asked]]":
        """Have it play from the instant ``go`` on."""
        ...


class HiredThread:
    """A worker in a thread."""

    def __init__(self, portal: BlockingPortal, worker: Worker) -> None:
        self._portal = portal
        self._worker = worker

    def prepare(self, jobs: Sequence[str]) -> int | None:
        """Create what these jobs need, and return the store's time."""
        return self._portal.call(self._worker.prepare, jobs)

    def play(self, steps: Sequence[Step], go: int) -> "Future[list[Asked]]":
        """Have it play from the instant ``go`` on."""
        return self._portal.start_task_soon(self._worker.play, steps, go)


@contextmanager
def hired(
    name: str, loop: str, backend: Backend, clock: ManualClock | None
) -> Generator[HiredThread]:
    """Open the store in a new loop of this kind, in a thread of its own."""
    with (
        start_blocking_portal(loop) as portal,
        portal.wrap_async_context_manager(connected(backend)) as (bridge, store),
    ):
        yield HiredThread(portal, Worker(name, bridge, store, clock))


def _sleep_until(instant: int) -> None:
    """Sleep as exactly as the system can: all of them are to wake up at once."""
    time.sleep(max(instant - time.perf_counter_ns(), 0) / 1e9)
