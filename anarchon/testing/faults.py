"""What can go wrong between an instance and its store, and when.

Decides which fault meets which call. Must not know how a fault is carried out.
"""

import random
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from anarchon.errors import InvalidOption

OPERATIONS = (
    "open",
    "time",
    "prepare",
    "claim",
    "finish",
    "record",
    "history",
    "heartbeat",
    "release",
    "unfinished",
)
LOG_CAPACITY = 10_000


class Lost(StrEnum):
    """Which half of a call doesn't get through."""

    REQUEST = "request"
    REPLY = "reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to one call; durations are seconds of the loop's time.

    A request that takes ``request_delay`` arrives even if its caller has given up. A
    ``lost`` half raises ``ConnectionError``, or leaves the caller waiting for ever when
    the fault is ``silent``. With ``copy_after`` the request arrives once more, so long
    after it was sent; nobody hears the answer to the copy.
    """

    request_delay: float = 0.0
    reply_delay: float = 0.0
    lost: Lost | None = None
    silent: bool = False
    copy_after: float | None = None

    def along_with(self, other: "Fault") -> "Fault":
        """Return what happens to a call that meets both: the worse of each."""
        halves = {self.lost, other.lost}
        copies = [f.copy_after for f in (self, other) if f.copy_after is not None]
        return Fault(
            request_delay=max(self.request_delay, other.request_delay),
            reply_delay=max(self.reply_delay, other.reply_delay),
            lost=next((half for half in Lost if half in halves), None),
            silent=self.silent or other.silent,
            copy_after=max(copies, default=None),
        )


OK = Fault()
FAIL_BEFORE = Fault(lost=Lost.REQUEST)
FAIL_AFTER = Fault(lost=Lost.REPLY)
HANG_BEFORE = Fault(lost=Lost.REQUEST, silent=True)
HANG_AFTER = Fault(lost=Lost.REPLY, silent=True)

_KINDS = (FAIL_BEFORE, FAIL_AFTER, HANG_BEFORE, HANG_AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as its caller saw it, ``sent`` and ended at the loop's ``time``, in s.

    ``reply`` is what was heard, ``error`` what was raised instead: a cancellation, when
    the caller gave up waiting.
    """

    time: float
    sent: float
    operation: str
    args: tuple[object, ...]
    reply: object = None
    error: BaseException | None = None


class Faults:
    """The faults of one instance's way to the store, and the record of its calls.

    A call meets the first of these that is set: a partition; the next fault of a script
    for its operation; the operation's standing fault and a storm, along with each
    other. ``calls`` counts the calls by operation, ``log`` holds the last 10,000.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.log: deque[Call] = deque(maxlen=LOG_CAPACITY)
        self._partition: Fault | None = None
        self._scripts: dict[str, deque[Fault]] = {}
        self._standing: dict[str, Fault] = {}
        self._storm: _Storm | None = None

    def script(self, operation: str, *faults: Fault) -> None:
        """Let the next calls of an operation meet these faults, one each."""
        _check((operation,))
        self._scripts.setdefault(operation, deque()).extend(faults)

    def always(self, fault: Fault, *operations: str) -> None:
        """Let every call of these operations meet a fault; of all, if none is named."""
        _check(operations)
        self._standing.update(dict.fromkeys(operations or OPERATIONS, fault))

    def storm(self, seed: int, rate: float = 0.2, longest: float = 10.0) -> None:
        """Let a random fault meet this share of all calls, repeatably by ``seed``.

        Halves are lost, with and without an error, delayed, and sent twice; no delay
        is over ``longest`` seconds.
        """
        self._storm = _Storm(random.Random(seed), rate, longest)

    def partition(self, *, silent: bool = False) -> None:
        """Let no request through: calls fail at once, or hang when ``silent``."""
        self._partition = HANG_BEFORE if silent else FAIL_BEFORE

    def heal(self) -> None:
        """End the partition. What was lost stays lost: a call that hangs goes on so."""
        self._partition = None

    def clear(self) -> None:
        """End every fault, the partition too."""
        self.heal()
        self._scripts.clear()
        self._standing.clear()
        self._storm = None

    def meet(self, operation: str) -> Fault:
        """Count a call, and return what happens to it."""
        self.calls[operation] += 1
        if self._partition is not None:
            return self._partition
        if script := self._scripts.get(operation):
            return script.popleft()
        standing = self._standing.get(operation, OK)
        storm = OK if self._storm is None else self._storm.draw()
        return standing.along_with(storm)


class _Storm:
    def __init__(self, chance: random.Random, rate: float, longest: float) -> None:
        self._chance = chance
        self._rate = rate
        self._longest = longest

    def draw(self) -> Fault:
        if self._chance.random() >= self._rate:
            return OK
        some_time = self._chance.uniform(0, self._longest)
        return self._chance.choice(
            (
                *_KINDS,
                Fault(request_delay=some_time),
                Fault(reply_delay=some_time),
                Fault(copy_after=some_time),
            )
        )


def _check(operations: Iterable[str]) -> None:
    for operation in operations:
        if operation not in OPERATIONS:
            raise InvalidOption(
                f"a store has no operation {operation!r}; "
                f"it has {', '.join(OPERATIONS)}"
            )
