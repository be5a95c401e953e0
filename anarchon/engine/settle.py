"""How the end of an attempt gets into the store.

Decides how long and how often a write is tried. Must not know why the attempt ended.

A write that was not answered is sent again, with the same token: the laws make that
harmless, and a refusal after it means what a refusal of the first would have meant.
"""

import random
from collections.abc import Awaitable, Callable

from anarchon.clock import Clock
from anarchon.rules.lease import backoff


async def until_answered(
    write: Callable[[], Awaitable[bool | None]], limit: float, clock: Clock
) -> bool | None:
    """Send a write until it is answered; ``None`` when ``limit`` seconds have passed.

    Cancelled, the outcome of a write under way is known before this returns or raises.
    """
    give_up = clock.monotonic() + limit
    failures = 0
    while True:
        accepted = await write()
        if accepted is not None or clock.monotonic() >= give_up:
            return accepted
        failures += 1
        await clock.sleep(backoff(failures, random.random()))
