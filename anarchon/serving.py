"""How a process's signals end a scheduler.

Decides what the first and the second signal do. Must not know what stopping is.
"""

import signal
import threading
from collections.abc import Sequence

import anyio

from anarchon.lifecycle import Life
from anarchon.log import logger


async def serve(
    life: Life, signals: Sequence[signal.Signals], stop_timeout: float
) -> None:
    """Wait until a life has ended; a signal stops it, a second one at once.

    Cancelled, it leaves the scheduler as it is.
    """
    if not signals:
        await life.ended.wait()
        return
    _check_main_thread()
    with anyio.open_signal_receiver(*signals) as received:
        async with anyio.create_task_group() as group:

            async def leave_when_ended() -> None:
                await life.ended.wait()
                group.cancel_scope.cancel()

            group.start_soon(leave_when_ended)
            timeout = stop_timeout
            async for number in received:
                logger.info("received %s, stopping", signal.Signals(number).name)
                life.stop(timeout)
                timeout = 0.0


def _check_main_thread() -> None:
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(
            "signals can be received in the main thread only; "
            "here use serve(signals=()) and stop the scheduler yourself"
        )
