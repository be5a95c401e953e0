"""How a job's history is read: results, and the claims that have none.

Decides which claims have to be read and what is shown.

Each run that ended is one message, which has all of its record. What is left are runs
that go on, or whose runner is gone: claims without a result. Of the claims only those
are read that can be among the newest records.
"""

from collections.abc import Iterable, Sequence

from anarchon.backends.nats.entries import Entry, Held
from anarchon.backends.nats.jetstream import JetStream
from anarchon.backends.nats.subjects import Subjects
from anarchon.model import RunRecord

# Results are trimmed in the order in which they were written, history is sorted by when
# runs started: so many more are kept, and that many runs of a job can overlap.
SURPLUS = 100


async def read_history(
    jetstream: JetStream, subjects: Subjects, job: str, limit: int
) -> list[RunRecord]:
    """Return the newest records of a job, newest first."""
    stored = await jetstream.read(subjects.history, subjects.records_of(job))
    entries = [Entry.read(message, job) for message in stored]
    since = _oldest_needed(entries, limit)
    claims = await jetstream.read(subjects.claims, subjects.claims_of(job), since)
    held = [Held.read(message, job) for message in claims]
    ended = {entry.record.slot for entry in entries if entry.claim}
    records = [(entry.record, entry.keep) for entry in entries]
    records += [(each.record(), each.keep) for each in held if each.slot not in ended]
    return _newest(records, max(limit, 0))


def _oldest_needed(entries: Sequence[Entry], limit: int) -> int:
    """Return the number of the oldest claim that may be among the newest records."""
    if not entries:
        return 0
    claims = sorted((entry.claim for entry in entries if entry.claim), reverse=True)
    wanted = min(limit, entries[-1].keep)
    if 0 < wanted <= len(claims):
        return claims[wanted - 1]
    # whoever keeps so few may have trimmed what a claim would be looked up for in vain
    trimmed = len(entries) > min(entry.keep for entry in entries)
    return claims[-1] if trimmed and claims else 0


def _newest(records: Iterable[tuple[RunRecord, int]], limit: int) -> list[RunRecord]:
    newest = sorted(records, key=_age, reverse=True)
    keep = newest[0][1] if newest else 0
    return [record for record, _ in newest[: min(limit, keep)]]


def _age(kept: tuple[RunRecord, int]) -> tuple[float, int, int]:
    record, _ = kept
    return record.started_at.timestamp(), record.attempt, record.slot
