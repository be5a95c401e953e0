"""How a scheduler is opened, and what its block guarantees.

Decides the options of a scheduler, who owns the nursery, and in what shape errors come
out of the block. Must not know how a scheduler starts or stops.
"""

import os
import socket
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Unpack

import anyio

from anarchon.backends import backend_from
from anarchon.bridge.interrupts import spared, tell_trio
from anarchon.bus import EventBus
from anarchon.clock import Clock, SystemClock
from anarchon.engine.boundary import fatal_in
from anarchon.engine.instance import Instance
from anarchon.errors import InvalidOption
from anarchon.jobs import Job
from anarchon.lifecycle import CLOSING
from anarchon.log import logger
from anarchon.options import OPTION_NAMES, JobOptions, check_known
from anarchon.protocol import Backend
from anarchon.rules.durations import Duration, to_seconds
from anarchon.rules.names import check_instance_id
from anarchon.scheduler import Scheduler

STOP_TIMEOUT = 30.0


class SchedulerOptions(JobOptions, total=False):
    """What ``open_scheduler`` takes: its own options, and defaults for its jobs."""

    instance_id: str
    stop_timeout: Duration
    clock: Clock


OWN_OPTIONS = ("instance_id", "stop_timeout", "clock")


@asynccontextmanager
@spared
async def open_scheduler(
    backend: str | Backend,
    *,
    jobs: Iterable[Job] = (),
    start: bool = True,
    **options: Unpack[SchedulerOptions],
) -> AsyncGenerator[Scheduler]:
    """Open a scheduler on a store and start it; leaving the block stops it.

    The block owns the nursery in which every task of the scheduler lives. However it is
    left (normally, by an exception, because the host was cancelled), handlers are
    cancelled and their leases handed over, for at most ``stop_timeout`` seconds and 5 s
    for closing the store. Only a handler that ignores its cancellation is waited for
    longer. The body's own exception comes out as it was raised.

    Args:
        backend: a URL such as ``"sqlite:///jobs.db"``, or a backend object.
        jobs: jobs that were declared elsewhere, a ``Jobs`` or any iterable of ``Job``.
        start: whether to start on entering; otherwise call ``start``.
        **options: ``instance_id``, ``stop_timeout``, ``clock``, and every option of a
            job as the default for this scheduler's jobs. Durations are seconds, a
            ``timedelta`` or text such as ``"1h30m"``.

    Raises:
        BackendUnavailable: the store can't be reached.
        BackendTooOld: the server lacks what is needed.
        InvalidOption: the URL, an option or a job isn't allowed.
        DuplicateJob: two jobs have one name.
        KeyboardInterrupt, SystemExit: a handler raised it; its run was handed over.
    """
    tell_trio()
    instance = _instance(options)
    scheduler = Scheduler(backend_from(backend), instance, _job_options(options))
    for job in jobs:
        scheduler.add(job)
    error: BaseException | None = None
    try:
        async with anyio.create_task_group() as instance.nursery:
            try:
                if start:
                    await scheduler.start()
                yield scheduler
            except BaseException as raised:  # noqa: ASYNC103, BLE001  raised below
                # outside, the nursery can't wrap it in a group
                error = raised
            await _leave(scheduler, instance)
    except BaseExceptionGroup as group:
        raise instance.fatal or fatal_in(group) or group from None
    if instance.fatal is not None:
        raise instance.fatal
    if error is not None:
        raise error


async def _leave(scheduler: Scheduler, instance: Instance) -> None:
    instance.left = True
    patience = instance.stop_timeout + 2 * CLOSING
    with anyio.CancelScope(shield=True, deadline=anyio.current_time() + patience):
        await scheduler.stop()
    stubborn = len(scheduler.running())
    if stubborn:
        logger.warning("waiting for %d handler(s) that go on past the stop", stubborn)


def _instance(options: SchedulerOptions) -> Instance:
    check_known(options, (*OWN_OPTIONS, *OPTION_NAMES))
    stop_timeout = options.get("stop_timeout", STOP_TIMEOUT)
    return Instance(
        instance_id=_instance_id(options.get("instance_id")),
        clock=_clock(options.get("clock", SystemClock())),
        bus=EventBus(),
        stop_timeout=to_seconds(stop_timeout, name="stop_timeout", zero=True),
    )


def _job_options(options: Mapping[str, object]) -> Mapping[str, object]:
    return {name: options[name] for name in options if name in OPTION_NAMES}


def _instance_id(given: object) -> str:
    if given is None:
        return f"{socket.gethostname()}:{os.getpid()}"
    return check_instance_id(given)


def _clock(given: Clock) -> Clock:
    methods = ("time", "monotonic", "sleep")
    if not all(callable(getattr(given, name, None)) for name in methods):
        raise InvalidOption(
            f"a clock has the methods {', '.join(methods)}, which {given!r} lacks"
        )
    return given
