"""A race whose answers no order explains, as a text to be read.

Decides the words. Must not know how the race was run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from math import inf
from typing import TypeAlias, cast

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

Answers: TypeAlias = tuple[object, ...]


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
        """Tell what began before the first that can't be placed had ended."""
        yield "place in the longest order; from and to in ms; who; what -> answer"
        zero = min(each.began for each in self.history)
        end = min((each.until for each in self.verdict.next), default=inf)
        places = {id(each): n for n, each in enumerate(self.verdict.order, 1)}
        for each in sorted(self.history, key=lambda each: each.began):
            if each.began <= end:
                place = str(places.get(id(each), "-"))
                yield f"{place:>4} {_span(each, zero)} {each.by} {self._told(each)}"

    def _problem(self) -> Iterator[str]:
        yield f"After these {len(self.verdict.order)} none of these can come next:"
        for each in self.verdict.next:
            after, right = self.laws.answered(self.verdict.state, each)
            yield f"     {each.by} {self._told(each)}"
            yield f"       by the laws {self._answer(right)}"
            if after.clock < (before := self.verdict.state.clock):
                yield f"       and it was {self._answer(before)} before"

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

    def _answer(self, answer: object) -> str:
        if isinstance(answer, RunRecord):
            return self._record(answer)
        if isinstance(answer, tuple):
            return f"[{'; '.join(map(self._answer, cast('Answers', answer)))}]"
        if isinstance(answer, bool) or not isinstance(answer, int):
            return self._fields(answer)
        # instants are large
        return f"{answer - self.start:+}" if answer > self.start / 2 else f"{answer}"

    def _fields(self, answer: object) -> str:
        """Tell an answer, without what is as usual in it."""
        if not is_dataclass(answer):
            return str(answer)
        told = {each.name: getattr(answer, each.name) for each in fields(answer)}
        usual = {each.name: each.default for each in fields(answer)}
        words = [
            f"{name}={self._answer(value)}"
            for name, value in told.items()
            if value != usual[name]
        ]
        return f"{type(answer).__name__}({', '.join(words)})"

    def _record(self, record: RunRecord) -> str:
        began, ended = self._instant(record.started_at), self._instant(record.ended_at)
        return (
            f"{record.slot - self.start:+} attempt {record.attempt} of "
            f"{record.instance_id} {record.status}, {began} to {ended}"
        )

    def _instant(self, at: datetime | None) -> str:
        return "?" if at is None else self._answer(round(at.timestamp() * 1000))


def _span(asked: Asked, zero: int) -> str:
    began = f"{(asked.began - zero) / 1e6:8.3f}"
    return began + (
        " to ...     "
        if asked.ended is None
        else f" to {(asked.ended - zero) / 1e6:8.3f}"
    )
