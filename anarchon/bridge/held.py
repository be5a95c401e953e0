"""What a bridge can keep open: a context manager, or what makes one.

Decides how the two are told apart. Must not know any loop.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

T = TypeVar("T")

Manager = AbstractAsyncContextManager[T]
Maker = Callable[[], Manager[T] | Awaitable[Manager[T]]]
Held = Manager[T] | Maker[T]


async def manager_of(held: Held[T]) -> Manager[T]:
    """Return the manager, made now if it isn't there yet."""
    # some managers can be called or awaited as well, so that is asked last
    if isinstance(held, AbstractAsyncContextManager):
        return held  # noqa: ASYNC910  # pyright: ignore[reportUnknownVariableType]
    made = held()
    if isinstance(made, AbstractAsyncContextManager):
        return made  # noqa: ASYNC910  it was made at once
    return await made
