"""A program with a scheduler, to be sent signals: ``app.py LOOP BODY HANDLER``.

It prints a line for each thing that happens in it.
"""

import logging
import sys
import time
from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel

from anarchon import MemoryBackend, Scheduler, open_scheduler
from anarchon.events import Event, Interrupted


async def sleeps() -> None:
    """Work until cancelled."""
    await anyio.sleep_forever()


async def computes() -> None:
    """Use the processor, with a checkpoint now and then, until cancelled."""
    while True:
        began = time.monotonic()
        while time.monotonic() - began < 0.01:
            pass
        await anyio.lowlevel.checkpoint()


async def cleans_up() -> None:
    """Take a moment to end, whatever happens."""
    try:
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.4)
        print("cleaned up")


async def serve(scheduler: Scheduler) -> None:
    """Wait for a signal."""
    await scheduler.serve()
    print("served")


async def wait(_: Scheduler) -> None:
    """Wait for nothing."""
    await anyio.sleep_forever()


BODIES: dict[str, Callable[[Scheduler], Awaitable[None]]] = {
    "serve": serve,
    "wait": wait,
}
HANDLERS: dict[str, Callable[[], Awaitable[None]]] = {
    "sleeps": sleeps,
    "computes": computes,
    "cleans up": cleans_up,
}


def tell(event: Event) -> None:
    """Print an event."""
    if isinstance(event, Interrupted):
        print("interrupted", "handed over" if event.handed_over else "left")
    else:
        print(event.name)


async def main(body: str, handler: str) -> None:
    """Run one scheduler with one job."""
    async with open_scheduler(MemoryBackend(), jitter=0, catch_up=0) as scheduler:
        for name in ("start", "success", "failure", "interrupted"):
            scheduler.on(name, tell)
        scheduler.every("sync", "100ms", HANDLERS[handler])
        await BODIES[body](scheduler)
    print("left")


if __name__ == "__main__":
    logging.getLogger("anarchon").addHandler(logging.NullHandler())
    loop, body, handler = sys.argv[1:]
    anyio.run(main, body, handler, backend=loop)
