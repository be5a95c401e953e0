"""A claim-only store in a folder, as another package would write it.

A claim is a file with the slot's name, put there whole by a hard link, which only one
process can do. A result is a second file, put there the same way. Nothing is deleted.
"""

import json
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from anyio.to_thread import run_sync

from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.backends.names import escaped
from anarchon.backends.records import fields_of, record_from, storable
from anarchon.model import End, RunRecord, Status
from anarchon.protocol import Answer, Claim, ClaimReply, Early, Late, Running, Won

# what JSON holds
Fields = dict[str, Any]  # type: ignore[explicit-any]


class FolderBackend:
    """A store in ``folder``, which is created."""

    name = "folder"
    leases = False
    needs_asyncio = False
    remembers = None
    bridge = None

    def __init__(self, folder: Path, clock: StoreClock | None = None) -> None:
        self._folder = folder
        self._time = time.time if clock is None else clock.time

    @staticmethod
    def from_url(url: str) -> "FolderBackend":
        """Return the store of ``folder:///path``."""
        return FolderBackend(Path(url.partition("://")[2]))

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["FolderStore"]:
        """Make the folder and yield the store."""
        await run_sync(lambda: self._folder.mkdir(parents=True, exist_ok=True))
        yield FolderStore(self._folder, lambda: milliseconds(self._time()))


class FolderStore:
    """The open store; the file system makes each step atomic."""

    def __init__(self, folder: Path, now: Callable[[], int]) -> None:
        self._folder = folder
        self._now = now

    async def time(self) -> int:
        """Return the host's time."""
        return self._now()

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Do nothing: a job's folder is made when it is written to."""

    async def claim(self, claim: Claim) -> ClaimReply:
        """Take a slot, or tell who has it."""
        return await run_sync(self._claim, claim)

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """Write a result, once, if the claim is this token's."""
        return await run_sync(self._finish, job, slot, token, end)

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Write the record of a manual run, once."""
        fields = {**fields_of(record), "token": token, "keep": keep}
        await run_sync(self._put, self._job(record.job) / f"{token}.manual", fields)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Join claims and results, the newest first."""
        return await run_sync(self._history, job, limit)

    def _claim(self, claim: Claim) -> ClaimReply:
        now, file = self._now(), self._job(claim.job) / f"{claim.slot}.claim"
        if claim.slot > now:
            return Early(now=now)
        if not file.exists() and now > claim.slot + claim.limit * 1000:
            return Late(now=now)
        put = self._put(file, _begun(claim, now))
        there = _read(file)
        if there["token"] == claim.token and not file.with_suffix(".end").exists():
            return Won(now=now, attempt=1, left=claim.lease)
        assert not put
        return Running(now=now, attempt=1, left=0.0, instance_id=there["instance_id"])

    def _finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        now, file = self._now(), self._job(job) / f"{slot}.claim"
        if not file.exists() or _read(file)["token"] != token:
            return Answer(now=now, accepted=False)
        told = {
            "status": str(end.status),
            "duration": end.duration,
            "error": storable(end.error),
        }
        self._put(file.with_suffix(".end"), {**told, "ended": now})
        there = _read(file.with_suffix(".end"))
        return Answer(now=now, accepted=there == {**told, "ended": there["ended"]})

    def _history(self, job: str, limit: int) -> list[RunRecord]:
        begun = sorted(self._records(self._job(job)), key=lambda each: each["started"])
        keep = begun[-1]["keep"] if begun else 0
        newest = begun[-min(limit, keep) :] if min(limit, keep) else []
        return [record_from(fields) for fields in reversed(newest)]

    def _records(self, folder: Path) -> Iterator[Fields]:
        for file in folder.glob("*.claim"):
            ended = file.with_suffix(".end")
            yield _read(file) | (_read(ended) if ended.exists() else {})
        yield from map(_read, folder.glob("*.manual"))

    def _job(self, job: str) -> Path:
        return self._folder / escaped(job, 100)

    def _put(self, file: Path, fields: Fields) -> bool:
        """Put a whole file in its place, unless there is one; tell whether."""
        file.parent.mkdir(exist_ok=True)
        draft = file.parent / f"{uuid4().hex}.draft"
        draft.write_text(json.dumps(fields))
        try:
            with suppress(FileExistsError):
                os.link(draft, file)
                return True
            return False
        finally:
            draft.unlink()


def _begun(claim: Claim, now: int) -> Fields:
    return {
        "job": claim.job,
        "slot": claim.slot,
        "attempt": 1,
        "token": claim.token,
        "reason": str(claim.mode),
        "instance_id": claim.instance_id,
        "started": now,
        "status": str(Status.RUNNING),
        "keep": claim.keep,
    }


def _read(file: Path) -> Fields:
    fields: Fields = json.loads(file.read_text())
    return fields
