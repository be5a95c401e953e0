"""The same story told on several stores at once, which takes as long as on one."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from tests.stores.stores import Kind

T = TypeVar("T")


def side_by_side(
    kinds: Iterable[Kind], story: Callable[[Kind], T]
) -> Mapping[str, Future[T]]:
    """Tell a story of each kind in a thread of its own; return once all have ended.

    Each future holds what came of it for the kind with that id: also a failure, or that
    a server can't be had.
    """
    told = list(kinds)
    with ThreadPoolExecutor(len(told)) as threads:
        return {kind.id: threads.submit(story, kind) for kind in told}
