"""Whether the machine itself stood still while times were measured on it."""

import threading
import time
from types import TracebackType
from typing import Self

EVERY = 0.02


class Pulse:
    """Notices, inside its block, how long nothing ran although it was due.

    ``longest`` is the longest such time, in seconds. A virtual machine that its host
    leaves without a processor for a while stands still so, with all that runs on it.
    """

    def __init__(self) -> None:
        self.longest = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        last = time.monotonic()
        while not self._over.wait(EVERY):
            now = time.monotonic()
            self.longest = max(self.longest, now - last - EVERY)
            last = now
