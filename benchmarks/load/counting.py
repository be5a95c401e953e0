"""Calls to a store, counted: each method call is one round trip.

Decides what a call is called: by the method's name, but for a claim by which a backup
looks after somebody's run, which is a ``check``.
"""

from collections import Counter, deque

from anarchon.backends import backend_from
from anarchon.model import Reason
from anarchon.protocol import Backend, Claim
from anarchon.testing.faults import Call, Faults
from anarchon.testing.faulty import FaultyBackend


class Counted:
    """A ``backend`` without faults, and the calls of all the stores opened from it."""

    def __init__(self, inner: str | Backend) -> None:
        self._faults = Faults()
        # all of them, not the newest only
        self._faults.log = deque()
        self.backend = FaultyBackend(backend_from(inner), self._faults)

    def calls(self) -> Counter[str]:
        """Return how many calls there were so far, by their word."""
        return Counter(map(_word, self._faults.log))


def _word(call: Call) -> str:
    match call.args:
        case [Claim(mode=Reason.TAKEOVER)]:
            return "check"
        case _:
            return call.operation
