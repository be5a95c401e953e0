"""What several workers ask of a store in a race, and where the race takes place.

Decides what can be planned. Must not know what will be answered, nor who is faster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from property_tests.races.requests import Request


class Clock(StrEnum):
    """How the store's clock goes during a race.

    ``STILL``: not at all, so that it is known at which time an unanswered request was
    carried out. ``MOVED``: as the workers move it, also back. ``OWN``: by itself.
    """

    STILL = "still"
    MOVED = "moved"
    OWN = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Send a request, and leave before the answer after so many seconds, if any.

    ``own`` has it be about the attempt that this worker won last, if it has won any.
    """

    request: Request
    patience: float | None = None
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Let the store's clock go on by so many milliseconds, or back."""

    ms: int


Step: TypeAlias = Ask | Pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What each worker does once these have passed; all of them begin at once."""

    before: Sequence[Pass]
    steps: Mapping[str, Sequence[Step]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Askable:
    """What a kind of store can be asked.

    ``trims`` tells that it drops old records exactly when the laws say, ``snapshots``
    that a history which is read while others write shows one moment, ``one_step`` that
    an end and its record are written at once, though nobody waits for the answer, and
    ``strict`` that the laws also hold for what no instance asks: under a token that
    another worker made, or with another end than was told before.
    """

    leases: bool = False
    trims: bool = False
    snapshots: bool = True
    one_step: bool = True
    strict: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Where a race takes place: the jobs, and the store's time when it starts."""

    jobs: Sequence[str]
    start: int
    clock: Clock
    store: Askable
