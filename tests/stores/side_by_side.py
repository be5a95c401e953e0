"""The same story told on several stores at once, which takes as long as on one."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tests.stores.stores import Kind

T = TypeVar("T")


def side_by_side(
    kinds: Sequence[Kind], story: Callable[[Kind], T]
) -> Mapping[str, Future[T]]:
    """Tell a story of each kind in a thread of its own; return once all have ended.

    Each future holds what came of it for the kind with that id: also a failure, or that
    a server can't be had.
    """
    with ThreadPoolExecutor(len(kinds)) as threads:
        return {kind.id: threads.submit(story, kind) for kind in kinds}


def folders_in(place: Path, kinds: Sequence[Kind]) -> Mapping[str, Path]:
    """Make a folder for each kind, by its id."""
    folders = {kind.id: place / kind.id for kind in kinds}
    for folder in folders.values():
        folder.mkdir()
    return folders
