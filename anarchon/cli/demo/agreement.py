"""Whether what the instances told and what the store recorded are the same.

Decides which differences a kill explains: a process that is killed between a write to
the store and its report leaves a record of which it has told nothing.
"""

from collections.abc import Iterator, Sequence

from anarchon import RunRecord, Status
from anarchon.cli.demo.story import Bar, Story
from anarchon.cli.report import Kind

STORED_AS: dict[Kind, tuple[Status, ...]] = {
    Kind.SUCCESS: (Status.SUCCESS,),
    Kind.FAILURE: (Status.FAILED,),
    Kind.INTERRUPTED: (Status.INTERRUPTED,),
    Kind.KILLED: (Status.INTERRUPTED, Status.SUCCESS),
}


def disagreements(story: Story, records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield each attempt that was told and stored differently, or only one of both."""
    stored = {(r.job, r.slot, r.attempt): r for r in records}
    told = {bar.key for bar in story.bars}
    for bar in story.bars:
        record = stored.get(bar.key)
        if record is None:
            yield f"{_name(*bar.key)} isn't in the history"
        elif not _same(bar, record):
            yield (
                f"{_name(*bar.key)} is {bar.end} on {bar.instance_id}, in the history "
                f"{record.status} on {record.instance_id}"
            )
    for key, record in stored.items():
        if key not in told and not _cut_off(story, record):
            yield f"{_name(*key)} is in the history alone"


def _same(bar: Bar, record: RunRecord) -> bool:
    statuses = STORED_AS.get(bar.end, ()) if bar.end else ()
    return bar.instance_id == record.instance_id and record.status in statuses


def _cut_off(story: Story, record: RunRecord) -> bool:
    lane = story.lanes.get(record.instance_id)
    killed = lane is not None and any(life.killed for life in lane.lives)
    return killed and record.status is Status.INTERRUPTED


def _name(job: str, slot: int, attempt: int) -> str:
    return f"attempt {attempt} of {job} {slot}"
