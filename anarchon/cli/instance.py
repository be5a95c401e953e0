"""One instance in a process of its own; started by ``anarchon.cli.processes``.

Decides what its jobs do, and that it tells all its events on standard output and never
outlives whoever started it. Must not know what it is started for.
"""

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import fields
from typing import TYPE_CHECKING

import anyio

import anarchon
from anarchon.cli.report import EVENTS, Kind, Report
from anarchon.cli.setup import Setup, Work

if TYPE_CHECKING:
    from anarchon.events import Event

STEP = 0.25
STOP_TIMEOUT = 3.0
KEEP = 1_000


async def run(setup: Setup) -> None:  # noqa: ASYNC910  the scheduler waits
    """Run the scheduler until SIGTERM; cancelled, it is stopped as well."""
    # not serve(): a stop may come as soon as "ready" was told, and must be heard
    with anyio.open_signal_receiver(signal.SIGTERM) as received:
        async with _open(setup) as scheduler:
            for kind in EVENTS:
                scheduler.on(kind, lambda event: say(report_of(event)))
            for work in setup.works:
                _add(work, scheduler)
            await scheduler.start()
            say(Report(instance_id=setup.instance_id, at=time.time(), kind=Kind.READY))
            async for _ in received:
                return


def _open(setup: Setup) -> AbstractAsyncContextManager[anarchon.Scheduler]:
    return anarchon.open_scheduler(
        setup.store,
        start=False,
        instance_id=setup.instance_id,
        stop_timeout=STOP_TIMEOUT,
        lease=setup.lease,
        heartbeat=setup.heartbeat,
        catch_up=0,
        keep=KEEP,
    )


def _add(work: Work, scheduler: anarchon.Scheduler) -> None:
    scheduler.every(
        work.job,
        work.every,
        handler_of(work),
        offset=work.offset,
        jitter=work.jitter,
    )


def handler_of(work: Work) -> Callable[[anarchon.RunContext], Awaitable[None]]:
    """Return a handler that takes its time and tells how far it is."""
    steps = max(1, round(work.takes / STEP))

    async def handler(ctx: anarchon.RunContext) -> None:  # noqa: ASYNC910  one step
        for step in range(1, steps + 1):
            await anyio.sleep(work.takes / steps)
            say(
                Report(
                    instance_id=ctx.instance_id,
                    at=time.time(),
                    kind=Kind.PROGRESS,
                    job=ctx.job,
                    slot=ctx.slot,
                    attempt=ctx.attempt,
                    share=step / steps,
                )
            )

    return handler


def report_of(event: "Event") -> Report:
    """Return an event as a report: the fields that both have, by their names."""
    names = {field.name for field in fields(Report)} & {f.name for f in fields(event)}
    shared = {name: getattr(event, name) for name in names - {"at"}}
    return Report(**shared, at=event.at.timestamp(), kind=Kind(event.name))


def say(report: Report) -> None:
    """Tell it at once, in one write."""
    sys.stdout.write(report.to_line() + "\n")
    sys.stdout.flush()


def vanish_with_parent(folder: str) -> None:
    """End this process, and remove the folder, once standard input is closed.

    Whoever started this process holds the other end, so it is closed when they die,
    however they die.
    """

    def wait() -> None:
        # sys.stdin has a lock that a waiting thread would hold for ever
        while os.read(0, 1):
            pass
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Run the instance that the one argument describes."""
    setup = Setup.from_json(sys.argv[1])
    vanish_with_parent(setup.remove)
    anyio.run(run, setup, backend=setup.loop)


if __name__ == "__main__":
    main()
