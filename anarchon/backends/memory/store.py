"""The open memory store: each method is one step on one job, under one lock.

Decides atomicity and cancellation: a method waits only before it acts, so one that is
cancelled has done nothing. Must not know what the steps do.
"""

import threading
from collections.abc import Callable, Sequence

import anyio.lowlevel

from anarchon.backends.memory.job import Job
from anarchon.model import End, RunRecord
from anarchon.protocol import Answer, Claim, ClaimReply, Unfinished


class Data:
    """What stores on one backend object share: jobs, the lock over them, the clock."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self.lock: threading.Lock = threading.Lock()
        self.jobs: dict[str, Job] = {}

    def job(self, name: str) -> Job:
        """Return the job of this name, new if nothing is known of it."""
        try:
            return self.jobs[name]
        except KeyError:
            return self.jobs.setdefault(name, Job(name))


class MemoryClaimStore:
    """The open store without leases: each slot is granted once."""

    def __init__(self, data: Data) -> None:
        self._data = data

    async def time(self) -> int:
        """Return the store's clock."""
        await anyio.lowlevel.checkpoint()
        return self._data.now()

    async def prepare(self, jobs: Sequence[str]) -> None:  # noqa: ARG002  as promised
        """Do nothing: jobs need no preparation here."""
        await anyio.lowlevel.checkpoint()

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim by L1 to L4; cancelled, it was not made."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.job(claim.job).claim_once(claim, data.now())

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and its record (L7, L10); cancelled, nothing happened."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.job(job).finish(slot, token, end, data.now())

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add a manual run's record, once; cancelled, nothing happened."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            data.job(record.job).record(record, token, keep)

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records, newest first."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.jobs[job].history(limit) if job in data.jobs else []


class MemoryLeaseStore(MemoryClaimStore):
    """The open store with leases."""

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim by L1 to L6 and L9; cancelled, it was not made."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.job(claim.job).claim(claim, data.now())

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Push the lease's end (L7); cancelled, nothing happened."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.job(job).heartbeat(slot, token, lease, data.now())

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """Hand the run over and spend the token (L8); cancelled, nothing happened."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            return data.job(job).release(slot, token, data.now())

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Read the unfinished runs of these jobs; changes nothing."""
        await anyio.lowlevel.checkpoint()
        data = self._data
        with data.lock:
            now = data.now()
            known = [data.jobs[name] for name in jobs if name in data.jobs]
            runs = tuple(run for job in known for run in job.unfinished(now))
            return Unfinished(now=now, runs=runs)
