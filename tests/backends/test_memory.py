"""The memory backend beyond the laws: sharing, URLs, cancellation, size."""

import random
import threading
import tracemalloc
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.lowlevel
import pytest

from anarchon.backends import backend_from
from anarchon.backends.memory import MemoryBackend
from anarchon.errors import InvalidOption
from anarchon.model import Reason
from anarchon.protocol import Backend, ClaimStore, Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.clock import SLOT
from anarchon.testing.conformance.probe import LeaseProbe, Link, Probe, linked

CUTS = 400
THREADS = 4
SLOTS = 100

Step = Callable[[LeaseProbe], Awaitable[object]]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Unbridged(Link):
    """A store called without a bridge, so that every cancellation reaches it."""

    def __init__(self, store: ClaimStore) -> None:
        self.store = store

    async def call(self, operation: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """Call the store as it is."""
        return await operation(*args)


def test_backend_is_a_description() -> None:
    """A memory backend is one by the protocol, in any loop, and names itself."""
    backend: Backend = MemoryBackend(namespace="mine")
    assert isinstance(backend, Backend)
    assert ("memory", True, False, None) == (
        backend.name,
        backend.leases,
        backend.needs_asyncio,
        backend.remembers,
    )
    assert "MemoryBackend(leases=True, namespace='mine')" == repr(backend)


def test_impossible_namespace_is_refused() -> None:
    """The same namespaces are legal as for a store that has to write them down."""
    with pytest.raises(InvalidOption, match="'no spaces'"):
        MemoryBackend(namespace="no spaces")


def test_url_without_a_name_is_a_new_store() -> None:
    """Two schedulers on ``memory://`` have nothing to do with each other."""
    assert backend_from("memory://") is not backend_from("memory://")


def test_url_with_a_name_is_shared() -> None:
    """Schedulers on the same named store are one cluster, those on others are not."""
    assert backend_from("memory://here") is backend_from("memory://here")
    assert backend_from("memory://here") is not backend_from("memory://there")


def test_url_with_options_is_refused() -> None:
    """An option that a memory URL doesn't have isn't passed over in silence."""
    with pytest.raises(InvalidOption, match=r"memory://x\?leases=no"):
        backend_from("memory://x?leases=no")


@pytest.mark.anyio
async def test_claim_only_store_has_no_leases() -> None:
    """What a claim-only store can't do, it doesn't offer."""
    async with MemoryBackend(leases=False).open() as store:
        assert not hasattr(store, "heartbeat")
        assert not hasattr(store, "release")
        assert not hasattr(store, "unfinished")


@pytest.mark.anyio
async def test_data_outlives_every_connection() -> None:
    """The data lives in the backend object, whoever has it open."""
    clock = ManualClock()
    backend = MemoryBackend(clock=clock)
    async with linked(backend) as link:
        await Probe(link, clock).run("a")
    async with linked(backend) as link:
        job = Probe(link, clock)
        assert [job.success_of("a")] == await job.history()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "step",
    [
        lambda job: job.claim("b", SLOT + 1),
        lambda job: job.heartbeat("a"),
        lambda job: job.release("a"),
        lambda job: job.finish("a"),
        lambda job: job.record(job.record_of("m", reason=Reason.MANUAL), "m"),
    ],
    ids=["claim", "heartbeat", "release", "finish", "record"],
)
async def test_cancelled_step_did_not_happen(step: Step) -> None:
    """Each step waits before it acts and never after, so a cancelled one is undone."""
    clock = ManualClock()
    async with MemoryBackend(clock=clock).open() as store:
        job = LeaseProbe(Unbridged(store), clock)
        await job.claim("a")
        clock.move(1)
        before = await job.history(), await job.unfinished()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await step(job)
        assert scope.cancelled_caught
        assert before == (await job.history(), await job.unfinished())


@pytest.mark.anyio
async def test_no_granted_claim_is_lost_to_a_cancellation() -> None:
    """Cancelled at whatever moment, a claim was either answered or never made."""
    chance = random.Random(4)
    granted = answered = 0
    clock = ManualClock()
    async with MemoryBackend(clock=clock).open() as store:
        for number in range(CUTS):
            job = Probe(Unbridged(store), clock, f"job {number}")
            answered += await cut_claim(job, turns=chance.randrange(4))
            granted += len(await job.history())
    assert granted == answered
    assert 0 < granted < CUTS


async def cut_claim(job: Probe, turns: int) -> bool:
    """Claim in a task, cancel it after some turns of the loop; tell if it answered."""
    replies: list[object] = []

    async def claim() -> None:
        replies.append(await job.claim("a"))

    async with anyio.create_task_group() as group:
        group.start_soon(claim)
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    return bool(replies)


def test_threads_with_loops_of_their_own_share_a_store() -> None:
    """Schedulers in different threads and loops are one cluster: one winner a slot."""
    backend = MemoryBackend(clock=ManualClock())
    wins: Counter[str] = Counter()
    ready = threading.Barrier(THREADS, timeout=10)

    async def compete(token: str) -> None:
        async with linked(backend) as link:
            ready.wait()
            for number in range(SLOTS):
                job = Probe(link, ManualClock(), f"job {number}")
                if isinstance(await job.claim(token), Won):
                    wins[job.name] += 1

    threads = [
        threading.Thread(
            target=lambda loop, token: anyio.run(compete, token, backend=loop),
            args=(("asyncio", "trio")[number % 2], f"t{number}"),
        )
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert {f"job {number}": 1 for number in range(SLOTS)} == dict(wins)


@pytest.mark.anyio
async def test_memory_does_not_grow_with_runs() -> None:
    """Beyond the history that a job keeps, a run leaves nothing behind."""
    clock = ManualClock()
    async with linked(MemoryBackend(clock=clock)) as link:
        job = Probe(link, clock)
        await run_slots(job, clock, 500)
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            await run_slots(job, clock, 2_000)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert 10 == len(await job.history())
    # a run that left anything would have left it 2,000 times
    assert 20_000 > after - before


async def run_slots(job: Probe, clock: ManualClock, count: int) -> None:
    """Run so many slots of a job, one a minute."""
    for _ in range(count):
        await job.run(f"t{clock.ms}", clock.ms, keep=10, keep_for=60.0)
        clock.move(60)
