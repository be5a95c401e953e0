"""Records of attempts, kept in a stream for each job.

Decides what is stored of a record, and how far back is read for the newest ones. Must
not know how a run is won. An attempt is written when it starts and again, as a whole,
when it has ended, so that records can be read in any order and more than once.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from aiormq.abc import AbstractChannel as Channel
from aiormq.exceptions import ChannelNotFoundEntity, PublishError

from anarchon.backends.names import escaped
from anarchon.backends.rabbitmq.entries import fields_in
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
_EMPTY_AFTER = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A record, the token of its attempt, and how many records its job keeps."""

    record: RunRecord
    token: str
    keep: int


def stream_of(namespace: str, job: str) -> str:
    """Return the name of the stream that holds a job's records."""
    # the driver takes no "=" in a name
    name = escaped(job, _LONGEST_NAME).replace("=", ":")
    return f"{namespace}.history.{name}"


async def write(link: Link, stream: str, stored: Stored) -> None:
    """Add a record; the stream is made when there is none.

    Cancelled, the record is there or not; it may be added again.
    """
    fields = fields_of(stored.record)
    body = json.dumps({**fields, "token": stored.token, "keep": stored.keep}).encode()
    try:
        await publish(link.channel, stream, body)
    except PublishError:
        async with channel_for(link.connection) as channel:
            await declare(channel, stream, _BOUNDS)
        await publish(link.channel, stream, body)


async def read(link: Link, stream: str, limit: int) -> list[RunRecord]:
    """Return the newest records, newest first; none if there is no such stream.

    Raises:
        Unreadable: something else was written to the stream.
    """
    try:
        async with channel_for(link.connection) as channel:
            return await _newest(channel, stream, limit)
    except ChannelNotFoundEntity:
        return []


async def _newest(channel: Channel, stream: str, limit: int) -> list[RunRecord]:
    """Read as many entries as may be needed, and ever more until they suffice."""
    end = await _end_of(channel, stream)
    reach = limit * _ENTRIES + _SLACK
    while end >= 0:
        first = max(0, end - reach)
        found = await _entries(channel, stream, first, end)
        records = _merged(found)
        wanted = min(limit, found[-1].keep)
        if first == 0 or len(records) >= wanted:
            return records[:wanted]
        reach *= 4
    return []


def _merged(found: Iterable[Stored]) -> list[RunRecord]:
    """Return each attempt's record, ended if it has an end, the newest first."""
    records: dict[tuple[int, str], RunRecord] = {}
    for stored in found:
        key = stored.record.slot, stored.token
        if key not in records or stored.record.ended_at is not None:
            records[key] = stored.record
    return sorted(records.values(), key=_age, reverse=True)


def _age(record: RunRecord) -> tuple[datetime, int, int]:
    return record.started_at, record.attempt, record.slot


async def _end_of(channel: Channel, stream: str) -> int:
    """Return the offset of the newest entry, or -1 if there is none."""
    try:
        async with asyncio.timeout(_EMPTY_AFTER):
            return max(await _excerpt(channel, stream, "last", end=0))
    except TimeoutError:
        # whoever made it was gone before the first record
        if (await look_at(channel, stream)).message_count:
            raise
        return -1


async def _entries(channel: Channel, stream: str, first: int, end: int) -> list[Stored]:
    bodies = await _excerpt(channel, stream, first, end)
    return [_stored(f"{stream}, entry {at}", bodies[at]) for at in sorted(bodies)]


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
        await tap.close()
    return bodies


def _stored(place: str, body: bytes) -> Stored:
    try:
        fields = fields_in(body)
        token = text(fields.get("token"))
        keep = integer(fields.get("keep"), least=0)
        return Stored(record=record_from(fields), token=token, keep=keep)
    except (ValueError, Unreadable) as problem:
        raise Unreadable(place, str(problem)) from problem
