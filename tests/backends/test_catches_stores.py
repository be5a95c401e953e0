"""The suites catch stores that aren't one store, aren't atomic, or forget a claim."""

import copy
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import anyio.lowlevel
import pytest

from anarchon.backends.memory import MemoryBackend
from anarchon.backends.memory.job import Job
from anarchon.backends.memory.store import Data, MemoryClaimStore, MemoryLeaseStore
from anarchon.protocol import Claim, ClaimReply
from anarchon.testing.conformance import (
    ClaimConformance,
    LeaseConformance,
    ManualClock,
)
from tests.backends.catching import BackendOf, Cases, run_test

pytestmark = pytest.mark.anyio

STORES = Cases()
CLAIM_ONLY = Cases()


class _RacyStore(MemoryLeaseStore):
    async def claim(self, claim: Claim) -> ClaimReply:
        seen = copy.deepcopy(self._data.job(claim.job))
        reply = seen.claim(claim, self._data.now())
        await super().claim(claim)
        return reply


@STORES.caught_by(
    "test_claims_at_once_have_one_winner", "test_takeovers_at_once_have_one_winner"
)
class _Racy(MemoryBackend):
    """L1: others come between what a claim reads and what it writes."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        await anyio.lowlevel.checkpoint()
        yield _RacyStore(self._data)


@STORES.caught_by("test_two_connections_are_one_store")
class _Separate(MemoryBackend):
    """L1: each connection has a store of its own."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[MemoryClaimStore]:
        await anyio.lowlevel.checkpoint()
        yield MemoryLeaseStore(Data(self._data.now))


class _FoldedJobs(dict[str, Job]):
    def __missing__(self, name: str) -> Job:
        folded = unicodedata.normalize("NFC", name)
        job = self[name] = Job(name) if folded == name else self[folded]
        return job


@STORES.caught_by("test_any_legal_name_is_a_job_of_its_own")
class _Folding(MemoryBackend):
    """Names that look the same are made one."""

    def __init__(self, *, clock: ManualClock) -> None:
        super().__init__(clock=clock)
        self._data.jobs = _FoldedJobs()


@CLAIM_ONLY.caught_by("test_finished_slot_is_still_taken")
class _TakenAgain(Job):
    """L3: a slot is forgotten once its run is over."""

    def claim_once(self, claim: Claim, now: int) -> ClaimReply:
        if claim.slot not in self._runs:
            self._records.clear()
            self._newest = None
        return super().claim_once(claim, now)


@CLAIM_ONLY.caught_by(
    "test_slot_is_never_taken_over",
    "test_slots_do_not_block_each_other",
    "test_newer_slot_ends_no_older_run",
)
class _Leased(Job):
    """Runs are blocked by leases, and taken from their runners, after all."""

    def claim_once(self, claim: Claim, now: int) -> ClaimReply:
        return super().claim(claim, now)


@pytest.mark.parametrize(("kind", "test"), [*STORES])
async def test_broken_store_is_caught(kind: type[MemoryBackend], test: str) -> None:
    """A lease store that isn't one, or isn't atomic, fails the test of that."""
    with pytest.raises(AssertionError):
        await run_test(LeaseConformance, test, lambda clock: kind(clock=clock))


@pytest.mark.parametrize(("kind", "test"), [*CLAIM_ONLY])
async def test_broken_claim_only_store_is_caught(kind: type[Job], test: str) -> None:
    """A claim-only store with a broken claim fails the test of what it breaks."""
    with pytest.raises(AssertionError):
        await run_test(ClaimConformance, test, partial(BackendOf, kind, leases=False))


@pytest.mark.parametrize("test", sorted({test for _, test in STORES}))
async def test_sound_lease_store_passes(test: str) -> None:
    """It is the break that these tests notice, not the way they are run here."""
    await run_test(LeaseConformance, test, partial(BackendOf, Job))


@pytest.mark.parametrize("test", sorted({test for _, test in CLAIM_ONLY}))
async def test_sound_claim_only_store_passes(test: str) -> None:
    """It is the break that these tests notice, not the way they are run here."""
    await run_test(ClaimConformance, test, partial(BackendOf, Job, leases=False))
