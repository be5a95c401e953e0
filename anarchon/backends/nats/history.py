"""How a job's history is read: results, and the claims that have none.

Decides which messages have to be read and what is shown.

Each run that ended is one message, which has all of its record. What is left are runs
that go on, or whose runner is gone: claims without a result. The subjects tell the slot
of each, so that only the newest are read.
"""

from collections.abc import Collection, Iterable

from anarchon.backends.nats.entries import Entry, Held
from anarchon.backends.nats.jetstream import JetStream
from anarchon.backends.nats.subjects import Subjects, is_manual, when
from anarchon.backends.records import Unreadable
from anarchon.model import RunRecord

# a record, and how many its job keeps
Kept = tuple[RunRecord, int]

# Results are trimmed in the order in which they were written, history is sorted by when
# runs started: so many more are kept, and that many runs of a job can overlap.
SURPLUS = 100
# Subjects tell slots, and some runs start late: so many more are read than are shown.
MARGIN = 20


async def read_history(
    jetstream: JetStream, subjects: Subjects, job: str, limit: int
) -> list[RunRecord]:
    """Return the newest records of a job, newest first."""
    limit = max(limit, 0)
    # in this order: what ends in between is known to have ended
    claims = await jetstream.subjects(subjects.claims, subjects.claims_of(job))
    results = await jetstream.subjects(subjects.history, subjects.records_of(job))
    running = _running(claims, results)
    newest = sorted([*results, *running], key=_when, reverse=True)[: limit + MARGIN]
    records = [
        *await _records(jetstream, subjects, job, set(newest).intersection(results)),
        *await _claims(jetstream, subjects, job, set(newest).intersection(running)),
    ]
    records.sort(key=_age, reverse=True)
    keep = records[0][1] if records else 0
    return [record for record, _ in records[: min(limit, keep)]]


async def _records(
    jetstream: JetStream, subjects: Subjects, job: str, which: Collection[str]
) -> list[Kept]:
    found = await jetstream.last_of_all(subjects.history, which)
    entries = [Entry.read(stored, job) for stored in found]
    return [(entry.record, entry.keep) for entry in entries]


async def _claims(
    jetstream: JetStream, subjects: Subjects, job: str, which: Collection[str]
) -> list[Kept]:
    found = await jetstream.last_of_all(subjects.claims, which)
    claims = [Held.read(stored, job) for stored in found]
    return [(held.record(), held.keep) for held in claims]


def _running(claims: Iterable[str], results: Collection[str]) -> list[str]:
    """Return the claims that have no result, and haven't lost it to trimming."""
    ended = {_when(result) for result in results if not is_manual(result)}
    # fewer results than that were never trimmed
    oldest = min(ended) if ended and len(results) > SURPLUS else 0
    return [
        claim
        for claim in claims
        if (slot := _when(claim)) not in ended and slot >= oldest
    ]


def _when(subject: str) -> int:
    try:
        return when(subject)
    except ValueError:
        raise Unreadable(subject, "it names no slot") from None


def _age(kept: Kept) -> tuple[float, int, int]:
    record, _ = kept
    return record.started_at.timestamp(), record.attempt, record.slot
