"""A task group for helpers: it ends with its block and leaves errors as they are.

Decides nothing else.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def open_nursery() -> AsyncGenerator[TaskGroup]:
    """Open a task group whose tasks are cancelled at the end of the block.

    An error of the block comes out bare; an error of a task, in a group as usual.
    """
    failure: BaseException | None = None
    async with anyio.create_task_group() as nursery:
        try:
            yield nursery
        except BaseException as error:  # noqa: ASYNC103, BLE001  raised below
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
