"""Functions on their way into another thread's loop, one wake-up for many of them.

Decides when to wake. Must not know which loop is on the other side.
"""

from collections import deque
from collections.abc import Callable


class Passage:
    """Hands functions over to a loop, which calls them in order.

    ``wake`` schedules a function in that loop and can be called from any thread. A
    wake-up costs two system calls, so while one is on its way none is added: the sender
    appends before it looks at the flag, the receiver clears it before it looks at the
    queue, and so no function is ever left lying.
    """

    def __init__(self, wake: Callable[[Callable[[], object]], object]) -> None:
        self._wake = wake
        self._queue: deque[Callable[[], object]] = deque()
        self._awake = False

    def send(self, function: Callable[[], object]) -> None:
        """Have the function called in the other loop."""
        self._queue.append(function)
        if not self._awake:
            self._awake = True
            self._wake(self._receive)

    def _receive(self) -> None:
        self._awake = False
        while self._queue:
            self._queue.popleft()()
