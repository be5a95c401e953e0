"""How a run went on after its runner was killed or stopped.

Decides what must be true of its next attempt, and how the time between is measured.
Must not know which time is promised.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anarchon import RunRecord, Status
from anarchon.cli.demo.plan import REPORT
from anarchon.cli.demo.story import Bar, Story
from anarchon.cli.report import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """An attempt that its runner left, and the next one: as told, and as stored.

    ``gone`` is when the runner was gone by its own or the killer's word, and
    ``gone_record`` by the store's clock, in seconds since 1970 UTC. ``finished`` is
    whether any later attempt succeeded: the next one may itself be lost, on a machine
    that stands still.
    """

    handed_over: bool
    first: Bar | None
    second: Bar | None
    first_record: RunRecord | None
    second_record: RunRecord | None
    gone: float
    gone_record: float
    finished: bool

    @property
    def waited(self) -> float:
        """The seconds between the two attempts: the longer of both measurements."""
        if self.second is None or self.second_record is None:
            return 0.0
        return max(
            self.second.began - self.gone,
            self.second_record.started_at.timestamp() - self.gone_record,
        )

    def problems(self, within: float) -> Iterator[str]:
        """Yield what is wrong, if the next attempt had to start ``within`` seconds."""
        if self.first is None or self.first_record is None:
            yield "no runner left a run"
        elif self.second is None or self.second_record is None:
            yield f"nobody went on with {self.first.job} {self.first.slot}"
        else:
            yield from _left_wrongly(self.first_record, self.handed_over)
            if self.second.instance_id == self.first.instance_id:
                yield f"{self.first.instance_id} itself went on with it"
            if not self.finished:
                yield f"no attempt of {self.first.job} {self.first.slot} succeeded"
            if self.waited > within:
                yield f"{self.waited:.2f} s; promised were {within:.2f} s"


def _left_wrongly(record: RunRecord, handed_over: bool) -> Iterator[str]:
    if record.status is not Status.INTERRUPTED:
        yield f"history has attempt {record.attempt} as {record.status}"
    if record.handed_over is not handed_over:
        yield f"history has handed_over={record.handed_over}"


def killed(story: Story, records: Sequence[RunRecord]) -> Passing:
    """Return how the run of the killed runner went on, counted from the kill."""
    first = story.killed(REPORT)
    gone = _ended(first)
    return _passing(story, records, first, gone, gone, handed_over=False)


def stopped(story: Story, records: Sequence[RunRecord]) -> Passing:
    """Return how the run of the stopped runner went on, counted from the hand-over."""
    first = story.handed_over(REPORT)
    record = _record(records, first)
    gone = _ended(first)
    released = record.ended_at.timestamp() if record and record.ended_at else gone
    return _passing(story, records, first, gone, released, handed_over=True)


def _ended(bar: Bar | None) -> float:
    return bar.ended if bar and bar.ended else 0.0


def _passing(
    story: Story,
    records: Sequence[RunRecord],
    first: Bar | None,
    gone: float,
    gone_record: float,
    *,
    handed_over: bool,
) -> Passing:
    second = first and story.find(first.job, first.slot, first.attempt + 1)
    return Passing(
        handed_over=handed_over,
        first=first,
        second=second,
        first_record=_record(records, first),
        second_record=_record(records, second),
        gone=gone,
        gone_record=gone_record,
        finished=first is not None and _finished(story, records, first),
    )


def _finished(story: Story, records: Sequence[RunRecord], first: Bar) -> bool:
    told = {bar.key[:2] for bar in story.bars if bar.end is Kind.SUCCESS}
    stored = {(r.job, r.slot) for r in records if r.status is Status.SUCCESS}
    return first.key[:2] in told & stored


def _record(records: Sequence[RunRecord], bar: Bar | None) -> RunRecord | None:
    if bar is None:
        return None
    same = (r for r in records if (r.job, r.slot, r.attempt) == bar.key)
    return next(same, None)
