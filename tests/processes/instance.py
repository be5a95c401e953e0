"""One instance in a process of its own, as a user would write it.

Decides what its handlers do, and that it tells all its events on standard output. It
says ``loaded``, waits for its setup, says ``ready`` once it schedules and ``ended``
when its block is left. It never outlives whoever started it.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from importlib import import_module
from pkgutil import resolve_name

import anyio
import anyio.lowlevel

import anarchon
from anarchon.events import EVENT_NAMES
from anarchon.protocol import Backend
from tests.processes.backend import backend_of
from tests.processes.journal import Journal, Phase
from tests.processes.report import Report
from tests.processes.setup import Handler, Setup
from tests.processes.telling import Call, TellingBackend

# what the first opening of a store would otherwise wait for
BEHIND = {
    "amqp": ("anarchon.backends.rabbitmq.store", "aio_pika"),
    "nats": ("anarchon.backends.nats.store", "nats"),
    "postgresql": ("anarchon.backends.postgres.store", "asyncpg"),
    "redis": ("anarchon.backends.redis.store", "redis.asyncio"),
    "sqlite": ("anarchon.backends.sqlite.store",),
}


async def live(setup: Setup) -> None:
    """Run the scheduler until a signal ends it."""
    journal = Journal(setup.journal)
    async with anarchon.open_scheduler(
        opened_by(setup), start=False, **setup.options
    ) as scheduler:
        for name in EVENT_NAMES:
            scheduler.on(name, lambda event: say(Report.of(event, os.getpid())))
        for work in setup.works:
            handler = handler_of(work.handler, journal)
            scheduler.every(
                work.job, work.every, handler, offset=work.offset, **work.options
            )
        await scheduler.start()
        await (serve if setup.serve else sleep)(scheduler)
    say(word(scheduler.instance_id, "ended"))


def opened_by(setup: Setup) -> str | Backend:
    """Return the backend of a setup."""
    store = backend_of(setup.store)
    if not setup.tells_calls:
        return store

    def tell(call: Call) -> None:
        told = word(setup.options["instance_id"], call.what)
        say(replace(told, **{f.name: getattr(call, f.name) for f in fields(call)}))

    return TellingBackend(store, tell, setup.slow)


async def serve(scheduler: anarchon.Scheduler) -> None:
    """Say that it schedules once it listens to signals too, and wait for one."""
    async with anyio.create_task_group() as group:
        group.start_soon(say_ready, scheduler)
        await scheduler.serve()


async def sleep(scheduler: anarchon.Scheduler) -> None:
    """Say that it schedules, and know nothing of signals."""
    await say_ready(scheduler)
    await anyio.sleep_forever()


async def say_ready(scheduler: anarchon.Scheduler) -> None:
    """Say that the instance schedules."""
    say(word(scheduler.instance_id, "ready"))
    await anyio.lowlevel.checkpoint()


def handler_of(
    does: Handler, journal: Journal
) -> Callable[[anarchon.RunContext], Awaitable[None]]:
    """Return a handler that takes its time, and writes down each step."""

    async def handler(ctx: anarchon.RunContext) -> None:
        journal.write(ctx, Phase.START)
        try:
            with anyio.CancelScope(shield=does.deaf):
                for _ in range(round(does.takes / does.step)):
                    await anyio.sleep(does.step)
                    journal.write(ctx, Phase.STEP)
        except anyio.get_cancelled_exc_class():
            journal.write(ctx, Phase.CANCELLED)
            raise
        journal.write(ctx, Phase.END)

    return handler


def word(who: str, what: str) -> Report:
    """Return what the process says of itself."""
    return Report(who=who, pid=os.getpid(), at=time.time(), what=what)


def say(report: Report) -> None:
    """Tell it at once, in one write, from whichever thread."""
    os.write(sys.stdout.fileno(), report.to_line().encode())


def vanish_with_parent() -> None:
    """End this process once nobody holds the other end of its standard input."""

    def wait() -> None:
        # sys.stdin has a lock that a waiting thread would hold for ever
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def load_all(loop: str, scheme: str) -> None:
    """Import what is needed later, so that those who begin together do so at once."""
    for module in ("anarchon.opening", *BEHIND.get(scheme, ())):
        import_module(module)
    anyio.run(anyio.sleep, 0, backend=loop)


def main() -> None:
    """Load everything, wait for the setup, and live by it."""
    who, loop, scheme = sys.argv[1:]
    load_all(loop, scheme)
    say(word(who, "loaded"))
    setup = Setup.from_line(sys.stdin.readline())
    vanish_with_parent()
    if setup.first:
        resolve_name(setup.first)()
    with contextlib.suppress(KeyboardInterrupt):
        anyio.run(live, setup, backend=loop)


if __name__ == "__main__":
    main()
