"""What a call costs a server: how long its processes were on a processor for it.

Decides which calls are made, and by how many callers. Nothing that the client does is
counted, nor what the server waits for, such as its disk.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import anyio

from anarchon.backends import backend_from
from anarchon.connecting import connected
from benchmarks.claiming import MOST, Calls, Turns
from benchmarks.processor import on_processor, seconds_since

T = TypeVar("T")

CLAIM, TAKEN, HEARTBEAT, FINISH, DONE = WORDS = (
    "claim",
    "claim of a taken slot",
    "heartbeat",
    "finish",
    "claim of a finished slot",
)
CLAIMS = 320


async def served_seconds(url: str, pid: int, turns: int) -> Mapping[str, float]:
    """Return what each call takes of the server whose first process has this pid."""
    claims, spent = Turns(CLAIMS, leases=True), dict.fromkeys(WORDS, 0.0)
    async with connected(backend_from(url)) as (bridge, store):
        calls = Calls(bridge, store, direct=True).by_word(leases=True)
        await store.prepare(claims.jobs)
        for turn in range(turns + 1):
            won = claims.next()
            for word in WORDS:
                seconds = await _spent_on(calls[word], won, pid)
                # in the first turn connections are made, and scripts get known
                spent[word] += seconds if turn else 0.0
    return {word: seconds / turns / CLAIMS for word, seconds in spent.items()}


async def _spent_on(
    call: Callable[[T], Awaitable[object]], things: Sequence[T], pid: int
) -> float:
    left, before = iter(things), on_processor([pid])

    async def caller() -> None:
        for thing in left:
            await call(thing)

    async with anyio.create_task_group() as group:
        for _ in range(MOST):
            group.start_soon(caller)
    return seconds_since(before, on_processor([pid]))
