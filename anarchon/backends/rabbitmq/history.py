"""Records of attempts, kept in a stream for each job.

Decides what is stored of a record, and how far back is read for the newest ones. Must
not know how a run is won. An attempt is written when it starts and again, as a whole,
when it has ended, so that records can be read in any order and more than once.
"""

import asyncio
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from math import inf

from aiormq.abc import AbstractChannel as Channel
from aiormq.exceptions import (
    ChannelNotFoundEntity,
    ChannelPreconditionFailed,
    PublishError,
)

from anarchon.backends.names import escaped
from anarchon.backends.rabbitmq.link import Link
from anarchon.backends.rabbitmq.streams import (
    Tap,
    channel_for,
    declare,
    look_at,
    publish,
)
from anarchon.backends.records import (
    Unreadable,
    fields_of,
    integer,
    object_in,
    record_from,
    text,
)
from anarchon.model import RunRecord

_BOUNDS: Mapping[str, str | int] = {
    "x-max-length-bytes": 10_000_000,
    "x-stream-max-segment-size-bytes": 1_000_000,
}
_LONGEST_NAME = 170
# an attempt has two entries, and the server leaves out some offsets
_ENTRIES, _SLACK = 2, 50
_EMPTY_AFTER = 0.5
# what is opened in that moment is refused, or never hears anything
_WHILE_IT_IS_MADE = (0.05, 0.1, 0.2)


class Silence(Exception):
    """A stream that has entries gives none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A record, the token of its attempt, and how many records its job keeps."""

    record: RunRecord
    token: str
    keep: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What was read at an offset of a stream."""

    offset: int
    stored: Stored


def stream_of(namespace: str, job: str) -> str:
    """Return the name of the stream that holds a job's records."""
    # the driver takes no "=" in a name
    name = escaped(job, _LONGEST_NAME).replace("=", ":")
    return f"{namespace}.history.{name}"


async def make(  # noqa: ASYNC910  there may be nothing to make
    link: Link, streams: Iterable[str], within: float = inf
) -> None:
    """Create streams for records, as many as can be in so many seconds.

    One that is there with other settings is taken as it is.
    """
    end = time.monotonic() + within
    left = list(streams)
    while left and time.monotonic() < end:
        with suppress(ChannelPreconditionFailed):
            async with channel_for(link.connection) as channel:
                while left and time.monotonic() < end:
                    await declare(channel, left.pop(), _BOUNDS)


async def write(link: Link, stream: str, stored: Stored) -> None:
    """Add a record; the stream is made when there is none.

    Cancelled, the record is there or not; it may be added again.
    """
    fields = fields_of(stored.record)
    body = json.dumps({**fields, "token": stored.token, "keep": stored.keep}).encode()
    try:
        await publish(link.channel, stream, body)
    except PublishError:
        await make(link, [stream])
        await publish(link.channel, stream, body)


async def read(link: Link, stream: str, limit: int) -> list[RunRecord]:
    """Return the newest records, newest first; none if there is no such stream.

    Raises:
        Unreadable: something else was written to the stream.
    """
    for pause in _WHILE_IT_IS_MADE:
        with suppress(ChannelPreconditionFailed, Silence):
            return await _read(link, stream, limit)
        await asyncio.sleep(pause)
    return await _read(link, stream, limit)


async def _read(link: Link, stream: str, limit: int) -> list[RunRecord]:
    try:
        async with channel_for(link.connection) as channel:
            return await _newest(channel, stream, limit)
    except ChannelNotFoundEntity as error:
        # after a restart of the server a stream is away for a moment, and not gone
        if "no queue" not in str(error):
            raise ConnectionError(f"{stream} can't be read now: {error}") from error
        return []  # noqa: ASYNC910  it was asked for


async def _newest(channel: Channel, stream: str, limit: int) -> list[RunRecord]:
    """Read as many entries as may be needed, and ever more until they suffice."""
    last = await _last(channel, stream)
    if last is None:
        return []
    wanted = min(limit, last.stored.keep)
    reach = wanted * _ENTRIES + _SLACK
    while True:
        first = max(0, last.offset - reach)
        records = _merged(await _entries(channel, stream, first, last.offset))
        if first == 0 or len(records) >= wanted:
            return records[:wanted]
        reach *= 4


def _merged(entries: Iterable[Entry]) -> list[RunRecord]:
    """Return each attempt's record, with its first end if it has one, newest first."""
    records: dict[tuple[int, str], RunRecord] = {}
    for entry in entries:
        record = entry.stored.record
        key = record.slot, entry.stored.token
        if key not in records or records[key].ended_at is None:
            records[key] = record
    return sorted(records.values(), key=_age, reverse=True)


def joined(
    records: list[RunRecord], others: Sequence[Stored], limit: int
) -> list[RunRecord]:
    """Return the newest of both, newest first: as many as any of them asked to keep."""
    everything = [*records, *(other.record for other in others)]
    most = max([len(records), *(other.keep for other in others)])
    return sorted(everything, key=_age, reverse=True)[: min(limit, most)]


def _age(record: RunRecord) -> tuple[datetime, int, int]:
    return record.started_at, record.attempt, record.slot


async def _last(channel: Channel, stream: str) -> Entry | None:
    """Return the newest entry, if there is one."""
    try:
        async with asyncio.timeout(_EMPTY_AFTER):
            return (await _entries(channel, stream, "last", 0))[-1]
    except TimeoutError:
        there = await look_at(channel, stream)  # noqa: ASYNC120  it says all
        if there.message_count:
            raise Silence(f"nothing of the stream {stream} was read") from None
        # whoever made it is not that far, or was gone before the first record
        return None


async def _entries(
    channel: Channel, stream: str, since: int | str, end: int
) -> list[Entry]:
    bodies = await _excerpt(channel, stream, since, end)
    return [
        Entry(offset=at, stored=_stored(f"{stream}, entry {at}", bodies[at]))
        for at in sorted(bodies)
    ]


async def _excerpt(
    channel: Channel, stream: str, since: int | str, end: int
) -> dict[int, bytes]:
    """Return the entries up to one offset, and those that the server sends with it."""
    bodies: dict[int, bytes] = {}
    complete = asyncio.Event()

    def hear(offset: int, body: bytes) -> None:
        bodies[offset] = body
        if offset >= end:
            complete.set()

    tap = Tap(channel, hear)
    await tap.open(stream, since)
    try:
        await complete.wait()
    finally:
        await tap.close()  # noqa: ASYNC102  bounded
    return bodies


def _stored(place: str, body: bytes) -> Stored:
    try:
        fields = object_in(body)
        token = text(fields.get("token"))
        keep = integer(fields.get("keep"), least=0)
        return Stored(record=record_from(fields), token=token, keep=keep)
    except (ValueError, Unreadable) as problem:
        raise Unreadable(place, str(problem)) from problem
