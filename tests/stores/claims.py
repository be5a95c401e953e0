"""Claims as tests of real stores make them, whose clocks are the real ones.

Decides the values that no such test names. Must not know any store.
"""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anarchon.backends import backend_from
from anarchon.backends.clock import instant
from anarchon.model import End, Overlap, Reason, RunRecord, Status
from anarchon.protocol import Claim
from anarchon.testing.conformance.probe import Link, linked

SUCCESS = End(status=Status.SUCCESS, duration=0.5)


def claim_of(job: str, slot: int, token: str, instance_id: str) -> Claim:
    """Return a claim for a first attempt, which no other run of the job hinders."""
    return Claim(
        job=job,
        slot=slot,
        token=token,
        attempt=1,
        instance_id=instance_id,
        mode=Reason.SCHEDULED,
        lease=60.0,
        overlap=Overlap.ALLOW,
        max_attempts=3,
        limit=600.0,
        startable=900.0,
        keep=1_000,
        keep_for=90.0,
    )


def manual_record(job: str, slot: int) -> RunRecord:
    """Return the record of a run by hand that started at its slot, and ended there."""
    return RunRecord(
        job=job,
        slot=slot,
        attempt=1,
        status=Status.SUCCESS,
        reason=Reason.MANUAL,
        manual=True,
        instance_id="A",
        started_at=instant(slot),
        ended_at=instant(slot),
        duration=0.0,
    )


def past_slots(count: int) -> range:
    """Return so many slots that follow each other and were due a moment ago."""
    # a second: the clock of a server on this machine is at most that much behind
    last = round(time.time() * 1000) - 1_000
    return range(last - count, last)


@asynccontextmanager
async def opened(url: str, *jobs: str) -> AsyncGenerator[Link]:
    """Open the store of this URL, and prepare it for these jobs."""
    async with linked(backend_from(url)) as link:
        await link.call(link.store.prepare, list(jobs))
        yield link
