"""A step of one job by the laws: what a request that is answered so does to it.

Decides how the models of ``property_tests.stores`` are asked. Must not know what is
right, which is for them, nor who asked when.
"""

from collections.abc import Hashable, Iterator
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias, cast

from anarchon.protocol import Claim, Unfinished, Won
from property_tests.races.linearizing import Operation
from property_tests.races.requests import (
    Finish,
    Heartbeat,
    ReadHistory,
    ReadRuns,
    Release,
    Reply,
    Request,
    told_now,
)
from property_tests.stores.claim_model import ClaimOnlyJob
from property_tests.stores.lease_model import Job
from property_tests.stores.machine import in_one_order
from property_tests.stores.stored import Entry, Run

AnyJob: TypeAlias = Job | ClaimOnlyJob
Asked: TypeAlias = Operation[Request, Reply]
Things: TypeAlias = dict[Hashable, object]


@dataclass(frozen=True, slots=True)
class State:
    """A job, the same as another if all that is stored is the same.

    ``clock`` is the store's time in its last step that may have written.
    """

    job: AnyJob = field(compare=False)
    stored: Hashable
    clock: int

    @classmethod
    def of(cls, job: AnyJob, clock: int) -> "State":
        """Return the state of a job, which mustn't change any more."""
        return cls(job, _frozen(vars(job)), clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laws:
    """The laws for a store whose clock shows ``now`` whenever a reply doesn't tell.

    An ``onward`` clock never shows an earlier time in a later step.
    """

    now: int
    onward: bool

    def step(self, state: State, operation: Asked) -> Iterator[State]:
        """Yield the state after a request, if it can have been answered so."""
        after, reply = self.answered(state, operation)
        answered = operation.ended is not None
        if answered and reply != _comparable(operation.reply, state.job):
            return
        if not self.onward or state.clock <= after.clock:
            yield after

    def answered(self, state: State, operation: Asked) -> tuple[State, object]:
        """Return the state after a request by the laws, and the right answer."""
        now = told_now(operation.reply)
        now = self.now if now is None else now
        job = _copied(state.job)
        reply = _answer(job, operation.request, now)
        if isinstance(operation.request, ReadRuns | ReadHistory):
            return state, reply
        return State.of(job, now if self.onward else self.now), reply


def _answer(job: AnyJob, request: Request, now: int) -> object:
    match request:
        case Claim():
            return job.claim(request, now)
        case Finish(slot=slot, token=token, end=end):
            return job.finish(slot, token, end, now)
        case ReadHistory():
            return tuple(in_one_order(job.history()))
        case _:
            assert isinstance(job, Job)
            return _answer_about_lease(job, request, now)


def _answer_about_lease(
    job: Job, request: Heartbeat | Release | ReadRuns, now: int
) -> Reply:
    match request:
        case Heartbeat(slot=slot, token=token, lease=lease):
            return job.heartbeat(slot, token, lease, now)
        case Release(slot=slot, token=token):
            return job.release(slot, token, now)
        case ReadRuns():
            return Unfinished(now=now, runs=job.unfinished(now))


def _comparable(reply: Reply | None, job: AnyJob) -> Reply | None:
    """Leave out what the laws don't speak about."""
    if isinstance(reply, tuple):
        return tuple(in_one_order(reply))
    if isinstance(reply, Won) and isinstance(job, ClaimOnlyJob):
        return replace(reply, left=0.0)
    return reply


def _copied(job: AnyJob) -> AnyJob:
    """Return a job that can change while this one stays as it is."""
    new = copy(job)
    for name, value in vars(job).items():
        setattr(new, name, _copied_value(value))
    return new


def _copied_value(value: object) -> object:
    if isinstance(value, dict):
        return {key: copy(kept) for key, kept in cast("Things", value).items()}
    if isinstance(value, list):
        return [copy(kept) for kept in cast("list[object]", value)]
    return value


def _frozen(value: object) -> Hashable:
    """Return a value to compare with, in which no order of things matters."""
    if isinstance(value, dict):
        things = cast("Things", value).items()
        return frozenset((key, _frozen(kept)) for key, kept in things)
    if isinstance(value, list):
        return frozenset(map(_frozen, cast("list[object]", value)))
    if isinstance(value, Run | Entry):
        return tuple(_frozen(getattr(value, each.name)) for each in fields(value))
    return value
