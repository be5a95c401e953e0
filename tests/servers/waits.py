"""Waiting for a condition, never longer than a deadline."""

import time
from collections.abc import Callable

PAUSE = 0.02


def wait_until(
    condition: Callable[[], bool], within: float, complaint: Callable[[], str]
) -> None:
    """Return once it holds; raise TimeoutError with the complaint after that long.

    Monotonic time, in seconds.
    """
    end = time.monotonic() + within
    while not condition():
        if time.monotonic() >= end:
            raise TimeoutError(f"{complaint()} (waited {within:g} s)")
        time.sleep(PAUSE)
