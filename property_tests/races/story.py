"""A race whose answers no order explains, as a text to be read.

Decides the words. Must not know how the race was run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from anarchon.model import RunRecord
from anarchon.protocol import Claim
from property_tests.races.laws import Asked, Laws, State
from property_tests.races.linearizing import Verdict
from property_tests.races.requests import (
    Finish,
    Heartbeat,
    ReadHistory,
    ReadRuns,
    Release,
    Reply,
    Request,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened, how much of it can be explained, and what can't be.

    Slots are told in milliseconds since ``start``, which is in the store's time.
    """

    title: str
    history: Sequence[Asked]
    verdict: Verdict[State, Request, Reply]
    laws: Laws
    start: int

    def __str__(self) -> str:
        return "\n".join([self.title, *self._events(), *self._problem()])

    def _events(self) -> Iterator[str]:
        yield "place in the longest order; from and to in ms; who; what -> answer"
        zero = min(each.began for each in self.history)
        places = {id(each): n for n, each in enumerate(self.verdict.order, 1)}
        for each in sorted(self.history, key=lambda each: each.began):
            place = str(places.get(id(each), "-"))
            yield f"{place:>4} {_span(each, zero)} {each.by} {self._told(each)}"

    def _problem(self) -> Iterator[str]:
        yield f"After these {len(self.verdict.order)} none of these can come next:"
        for each in self.verdict.next:
            after, right = self.laws.answered(self.verdict.state, each)
            yield f"  {each.by} {self._told(each)}"
            yield f"    by the laws {self._answer(right)}"
            if after.clock < self.verdict.state.clock:
                yield f"    and the clock was at {self.verdict.state.clock} before"

    def _told(self, asked: Asked) -> str:
        answer = "?" if asked.ended is None else self._answer(asked.reply)
        return f"{self._request(asked.request)} -> {answer}"

    def _request(self, request: Request) -> str:
        match request:
            case Claim():
                return (
                    f"claim {self._of(request)} attempt {request.attempt}, "
                    f"{request.overlap}, lease {request.lease}, max_attempts "
                    f"{request.max_attempts}, keep {request.keep}/{request.keep_for}"
                )
            case Heartbeat(lease=lease):
                return f"heartbeat {self._of(request)}, lease {lease}"
            case Release():
                return f"release {self._of(request)}"
            case Finish(end=end):
                return f"finish {self._of(request)} as {end.status}"
            case ReadRuns(job=job):
                return f"unfinished runs of {job}"
            case ReadHistory(job=job):
                return f"history of {job}"

    def _of(self, request: Claim | Heartbeat | Release | Finish) -> str:
        return f"{request.job} {request.slot - self.start:+} ({request.token})"

    def _answer(self, reply: object) -> str:
        if not isinstance(reply, tuple):
            return str(reply)
        records = cast("tuple[RunRecord, ...]", reply)
        return "[" + "; ".join(map(self._record, records)) + "]"

    def _record(self, record: RunRecord) -> str:
        slot, end = record.slot - self.start, record.ended_at
        return (
            f"{slot:+} attempt {record.attempt} of {record.instance_id} "
            f"{record.status}, {record.started_at:%T.%f} to "
            f"{'?' if end is None else format(end, '%T.%f')}"
        )


def _span(asked: Asked, zero: int) -> str:
    began = f"{(asked.began - zero) / 1e6:8.3f}"
    return began + (
        " to ...     "
        if asked.ended is None
        else f" to {(asked.ended - zero) / 1e6:8.3f}"
    )
