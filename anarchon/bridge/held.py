"""What a bridge can keep open: a context manager, or what makes one.

Decides how the two are told apart. Must not know any loop.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

T = TypeVar("T")

Manager = AbstractAsyncContextManager[T]
Held = Manager[T] | Callable[[], Manager[T] | Awaitable[Manager[T]]]


async def manager_of(held: Held[T]) -> Manager[T]:  # noqa: ASYNC910  often it is there
    """Return the manager, made now if it isn't there yet."""
    # some managers can be called or awaited as well
    if isinstance(held, AbstractAsyncContextManager):
        return held  # pyright: ignore[reportUnknownVariableType]  # may be callable
    made = held()
    if isinstance(made, AbstractAsyncContextManager):
        return made
    return await made
