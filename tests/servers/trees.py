"""A process and all that it has started, treated as one.

Decides how such a tree is frozen, thawed and killed. Must not know what runs in it.
"""

import contextlib
import time
from collections.abc import Callable

import psutil

from tests.servers.waits import wait_until

OBEYS_WITHIN = 10.0


def freeze_tree(pid: int) -> list[psutil.Process]:
    """Let all of it stand still, by SIGSTOP; return who that is, the root first."""
    frozen: list[psutil.Process] = []
    end = time.monotonic() + OBEYS_WITHIN
    # a process that isn't frozen yet may start another meanwhile
    while new := [process for process in _tree(pid) if process not in frozen]:
        assert time.monotonic() < end, f"process {pid} starts others without an end"
        _each(new, psutil.Process.suspend)
        frozen += new
    wait_until(
        lambda: all(_stands_still(process) for process in frozen),
        OBEYS_WITHIN,
        lambda: f"process {pid} doesn't stand still",
    )
    return frozen


def thaw_tree(pid: int) -> None:
    """Let all of it go on, by SIGCONT."""
    _each(_tree(pid), psutil.Process.resume)


def kill_tree(pid: int) -> None:
    """End all of it at once, by SIGKILL, and wait until nothing of it is left."""
    # who stands still first can't mourn the others, or start new ones
    doomed = freeze_tree(pid)
    _each(doomed, psutil.Process.kill)
    wait_until(
        lambda: all(_is_gone(process) for process in doomed),
        OBEYS_WITHIN,
        lambda: f"process {pid} or one of its children outlives SIGKILL",
    )


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _each(
    processes: list[psutil.Process], act: Callable[[psutil.Process], None]
) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            act(process)


def _stands_still(process: psutil.Process) -> bool:
    return _status(process) in {psutil.STATUS_STOPPED, None}


def _is_gone(process: psutil.Process) -> bool:
    return _status(process) is None


def _status(process: psutil.Process) -> str | None:
    """Return how it is, or None if it has ended, whether or not anybody noticed."""
    try:
        status = process.status()
    except psutil.NoSuchProcess:
        return None
    return None if status == psutil.STATUS_ZOMBIE else str(status)
