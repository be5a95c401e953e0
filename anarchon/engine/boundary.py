"""Where a handler's end becomes a value.

Decides what may come out of a handler: nothing but ``KeyboardInterrupt`` and
``SystemExit``. Must not know what is done with the end.

On asyncio a task that ends with a native ``CancelledError`` which no scope of ours sent
would end its whole task group, without any error: a handler that awaited a cancelled
future would stop the scheduler in silence. So a cancellation that nobody asked for is
caught here and is an ordinary failure of this run. One that was asked for goes on to
the scope that sent it.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

import anyio
import anyio.lowlevel
import anyio.to_thread

from anarchon.bridge.interrupts import struck
from anarchon.bridge.stray import StrayCancellations
from anarchon.engine.context import Cancellation, RunContext
from anarchon.jobs import Job
from anarchon.model import CancelReason, Status

ERROR_CAP = 2_000


@dataclass(frozen=True, slots=True)
class Ending:
    """How a handler ended.

    ``raised`` is what made it fail, if it raised; ``fatal`` what must still come out of
    the scheduler.
    """

    status: Status
    error: str | None = None
    fatal: BaseException | None = None
    raised: BaseException | None = None


async def call_handler(
    job: Job,
    context: RunContext,
    cancellation: Cancellation,
    threads: anyio.CapacityLimiter,
    ended: Callable[[], object],
) -> Ending:
    """Call the handler in its scope and return how it ended, whatever it does.

    ``ended`` is called between its end and the judgement of it. Cancelled only through
    ``cancellation`` or a shield around it; then too it returns.
    """
    outcome, stray = _Outcome(), StrayCancellations()
    try:
        with cancellation.scope:
            call = functools.partial(_call, job, context, threads)
            await _observe(call, outcome, cancellation, stray)
    except anyio.get_cancelled_exc_class():  # noqa: ASYNC103
        # a stray one beside ours, or the shield's, which the next await meets again
        pass
    ended()
    await stray.settle()
    return classify(
        outcome.returned, outcome.error, cancellation.reason, job.options.timeout
    )


@dataclass(slots=True)
class _Outcome:
    returned: bool = False
    error: BaseException | None = None


async def _observe(  # noqa: ASYNC910  as above
    call: Callable[[], Awaitable[None]],
    outcome: _Outcome,
    cancellation: Cancellation,
    stray: StrayCancellations,
) -> None:
    try:
        await call()
        outcome.returned = True
        if stray.possible:
            # one that the handler left behind is met here, or else by the engine
            await anyio.lowlevel.cancel_shielded_checkpoint()
    except anyio.get_cancelled_exc_class() as cancelled:  # noqa: ASYNC103  unasked
        if _asked_for(cancellation):
            raise
        outcome.returned, outcome.error = False, cancelled
    except BaseException as raised:  # noqa: BLE001  a handler may raise anything
        outcome.error = raised


def classify(
    returned: bool,
    error: BaseException | None,
    cause: CancelReason | None,
    timeout: float | None,
) -> Ending:
    """Return the ending: the first cause wins over what the handler did with it."""
    fatal = fatal_in(error)
    if fatal is not None:
        return Ending(Status.INTERRUPTED, describe(fatal), fatal)
    if cause is CancelReason.TIMEOUT:
        return Ending(Status.FAILED, f"timed out after {timeout:g} s")
    if cause is CancelReason.LOST:
        return Ending(Status.INTERRUPTED, describe(error))
    if returned:
        return Ending(Status.SUCCESS)
    if cause is not None:
        return Ending(Status.INTERRUPTED, describe(error))
    return Ending(Status.FAILED, describe(error), raised=error)


def describe(error: BaseException | None) -> str | None:
    """Return an error as text, capped at 2,000 characters."""
    if error is None:
        return None
    if isinstance(error, anyio.get_cancelled_exc_class()):
        return f"cancelled ({type(error).__name__}), and nobody had asked for it"
    inner = "; ".join(describe(part) or "" for part in _parts(error))
    text = ": ".join(filter(None, (type(error).__name__, _text(error))))
    return f"{text} [{inner}]"[:ERROR_CAP] if inner else text[:ERROR_CAP]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  the handler's exception class is not ours
        return "(its text could not be made)"


async def _call(job: Job, context: RunContext, threads: anyio.CapacityLimiter) -> None:
    call = functools.partial(job.handler, *((context,) if job.takes_context else ()))
    if job.is_async:
        await _await(call)
        return
    await anyio.to_thread.run_sync(_call_plainly, call, job.name, limiter=threads)


def _call_plainly(call: Callable[[], object], job: str) -> None:
    result = call()
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(
            f"the handler of {job!r} is a plain function that returned an awaitable, "
            "which nobody awaits; declare it with async def"
        )


@struck
async def _await(call: Callable[[], object]) -> None:
    await cast("Awaitable[object]", call())


def _asked_for(cancellation: Cancellation) -> bool:
    # the run's shield may have reached the deadline that a stop gave it
    return (
        cancellation.reason is not None
        or anyio.current_effective_deadline() <= anyio.current_time()
    )


def fatal_in(error: BaseException | None) -> BaseException | None:
    """Return the error, or the one in this group, that must end everything."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return error
    return next(filter(None, map(fatal_in, _parts(error))), None)


def _parts(error: BaseException | None) -> tuple[BaseException, ...]:
    """Return the errors in a group; there are none in any other error."""
    if not isinstance(error, BaseExceptionGroup):
        return ()
    return cast("BaseExceptionGroup[BaseException]", error).exceptions
