"""What several workers ask of a store in a race, drawn from a number.

Decides what is asked and in which order by each. Must not know what will be answered,
nor who is faster.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim
from property_tests.races.requests import (
    MANY,
    Finish,
    Heartbeat,
    ReadHistory,
    ReadRuns,
    Release,
    Request,
)

WORKERS = "ABCD"
BURSTS = 3
MOST_STEPS = 8
MOST_ATTEMPTS = 3


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What is near in time: slots are ``step`` ms apart, ``leases`` are in seconds."""

    step: int
    leases: Sequence[float]
    moves: Sequence[int] = ()


PACES = {
    # with a lease of nothing a run can be taken over at once
    Clock.STILL: Pace(step=1_000, leases=[0.0, 30.0]),
    Clock.MOVED: Pace(
        step=10_000,
        leases=[5.0, 30.0],
        moves=[1, 4_999, 5_000, 10_000, 30_001, -1, -5_000],
    ),
    Clock.OWN: Pace(step=10, leases=[0.002, 0.01], moves=[1, 3, 10]),
}
ENDS = [
    End(status=Status.SUCCESS, duration=1.0),
    End(status=Status.FAILED, duration=1.0, error="boom"),
]


def drawn(number: int, field: Field) -> list[Burst]:
    """Return the bursts of the race of this number, in this field."""
    return _Draw(random.Random(number), field).bursts()


class _Draw:
    """A race in the making. Few values, so that what belongs together meets."""

    def __init__(self, chance: random.Random, field: Field) -> None:
        self._chance = chance
        self._field = field
        self._pace = PACES[field.clock]
        self._moves = bool(self._pace.moves)
        self._now = field.start - (0 if self._moves else BURSTS * self._pace.step)
        self._claims: list[Claim] = []

    def bursts(self) -> list[Burst]:
        return [self._burst() for _ in range(BURSTS)]

    def _burst(self) -> Burst:
        """Let a slot become due; one worker at most lets time pass."""
        due = self._pass(self._pace.step)
        mover = self._chance.choice(WORKERS)
        return Burst(
            before=[due] if self._moves else [],
            steps={
                worker: self._steps(worker, moves=self._moves and worker == mover)
                for worker in WORKERS
            },
        )

    def _steps(self, worker: str, *, moves: bool) -> list[Step]:
        steps = range(self._chance.randint(3, MOST_STEPS))
        return [self._step(worker, moves=moves) for _ in steps]

    def _step(self, worker: str, *, moves: bool) -> Step:
        if moves and self._happens(0.25):
            return self._pass(self._chance.choice(self._pace.moves))
        request = self._request(worker)
        waits = isinstance(request, Finish) and not self._field.store.one_step
        return Ask(
            request=request,
            patience=None if waits else self._patience(),
            own=self._happens(0.6),
        )

    def _pass(self, ms: int) -> Pass:
        self._now += ms
        return Pass(ms=ms)

    def _patience(self) -> float | None:
        if self._moves or not self._happens(0.1):
            return None
        return 10 ** self._chance.uniform(-4.5, -2.5)

    def _request(self, worker: str) -> Request:
        if self._field.store.snapshots and self._happens(0.1):
            return self._read()
        known = self._known(worker)
        if not known or self._happens(0.6):
            return self._claim(worker, known)
        return self._act(self._chance.choice(known))

    def _known(self, worker: str) -> list[Claim]:
        """Return the last claims, mostly the worker's own."""
        own = [claim for claim in self._claims if claim.instance_id == worker]
        only_own = not self._field.store.strict or (own and self._happens(0.7))
        return (own if only_own else self._claims)[-4:]

    def _read(self) -> Request:
        job = self._chance.choice(self._field.jobs)
        if self._field.store.leases and self._happens(0.5):
            return ReadRuns(job=job)
        return ReadHistory(job=job)

    def _claim(self, worker: str, known: list[Claim]) -> Claim:
        """Claim a first attempt or the next one, or deliver a copy of a claim."""
        wants = self._chance.choice("1112222c" if self._field.store.leases else "11c")
        last = self._chance.choice(known) if known else None
        if wants == "c" and last is not None:
            return last
        if wants == "2" and last is not None and last.attempt < MOST_ATTEMPTS:
            claim = self._new_claim(worker, last.job, last.slot, last.attempt + 1)
        else:
            job = self._chance.choice([*self._field.jobs, self._field.jobs[0]])
            claim = self._new_claim(worker, job, self._slot(), 1)
        self._claims.append(claim)
        return claim

    def _new_claim(self, worker: str, job: str, slot: int, attempt: int) -> Claim:
        """Claim under the token that the worker has for this attempt."""
        number = (slot - self._field.start) // self._pace.step
        return Claim(
            job=job,
            slot=slot,
            token=f"{worker.lower()}{attempt}@{number}",
            attempt=attempt,
            instance_id=worker,
            mode=Reason.SCHEDULED if attempt == 1 else Reason.TAKEOVER,
            lease=self._chance.choice(self._pace.leases),
            overlap=self._chance.choice(list(Overlap)),
            max_attempts=self._chance.randint(1, MOST_ATTEMPTS),
            limit=self._chance.choice([60.0, 5.0]),
            startable=self._chance.choice([60.0, 5.0]),
            keep=self._chance.choice([1, 2, 5]) if self._field.store.trims else MANY,
            keep_for=self._chance.choice([0.0, 10.0]),
        )

    def _slot(self) -> int:
        """Return the newest slot that is due, or one near it."""
        step, start = self._pace.step, self._field.start
        due = self._now - (self._now - start) % step
        return due + step * self._chance.choice([-1, 0, 0, 0, 1])

    def _act(self, claim: Claim) -> Request:
        job, slot, token = claim.job, claim.slot, claim.token
        act = self._chance.choice("bbrrff" if self._field.store.leases else "f")
        if act == "b":
            lease = self._chance.choice(self._pace.leases)
            return Heartbeat(job=job, slot=slot, token=token, lease=lease)
        if act == "r":
            return Release(job=job, slot=slot, token=token)
        end = self._chance.choice(ENDS if self._field.store.strict else ENDS[:1])
        return Finish(job=job, slot=slot, token=token, end=end)

    def _happens(self, often: float) -> bool:
        return self._chance.random() < often
