"""Who ran which slot: each one once, and everybody some.

Decides what counts as a repetition and as a share. Must not know how it is told.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from anarchon import RunRecord, Status
from anarchon.cli.demo.plan import INSTANCES, JOBS, SYNC
from anarchon.cli.demo.story import Story
from anarchon.cli.report import Kind


def repetitions(story: Story, records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield each slot that was run twice, and each run that began beside another."""
    started = Counter(bar.key for bar in story.bars)
    told = Counter(bar.key[:2] for bar in story.bars if bar.end is Kind.SUCCESS)
    stored = Counter((r.job, r.slot) for r in _successes(records))
    for (job, slot, attempt), times in started.items():
        if times > 1:
            yield f"attempt {attempt} of {job} {slot} was started {times} times"
    for job, slot in sorted({*told, *stored}):
        if max(told[job, slot], stored[job, slot]) > 1:
            yield f"{job} {slot} has succeeded twice"
    for job in JOBS:
        yield from _overlaps([record for record in records if record.job == job])


def _overlaps(records: Sequence[RunRecord]) -> Iterator[str]:
    in_order = sorted(records, key=lambda record: record.started_at)
    for one, two in pairwise(in_order):
        if one.ended_at is None or two.started_at < one.ended_at:
            yield f"{two.job} {two.slot} began while {one.slot} was running"


def shares(records: Sequence[RunRecord]) -> dict[str, int]:
    """Return how many slots of the short job each instance has run, by the history."""
    counts = Counter(r.instance_id for r in _successes(records) if r.job == SYNC)
    return {name: counts[name] for name in INSTANCES}


def without_share(story: Story, records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield each instance that has won nothing, by its own word or by the history."""
    told, stored = story.wins(SYNC), shares(records)
    for name in INSTANCES:
        if not told[name] or not stored[name]:
            yield f"{name} has won none"


def _successes(records: Sequence[RunRecord]) -> list[RunRecord]:
    return [record for record in records if record.status is Status.SUCCESS]
