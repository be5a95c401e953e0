"""The traps of each strategy: what its server forgets, and what that may not cost."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import pytest

from anarchon.backends.redis import RedisBackend
from anarchon.protocol import Claim, ClaimReply, Done, Late, LeaseStore, Running, Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.servers.redis import Redis
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

JOB = "sync"
STRATEGIES = ("lease", "script", "stream-id", "idmp")
HOUR = 3_600
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """An open store, and a plain client to what is behind it."""

    link: Link
    server: Redis
    key: str

    async def claim(self, token: str, slot: int, limit: float = 600.0) -> ClaimReply:
        """Claim a slot as one who keeps no more than one record."""
        claim = claim_of(JOB, slot, token, token.upper())
        claim = replace(claim, keep=1, keep_for=0.0, limit=limit)
        return await self.link.call(self.link.store.claim, claim)

    async def run(self, token: str, slot: int) -> None:
        """Win a slot and finish it at once."""
        assert isinstance(await self.claim(token, slot), Won)
        answer = await self.link.call(self.link.store.finish, JOB, slot, token, SUCCESS)
        assert answer.accepted

    def command(self, *words: object) -> object:
        """Send a command to the server by hand."""
        with self.server.client() as client:
            reply: object = client.execute_command(*words)
        return reply


@asynccontextmanager
async def scene_on(
    fleet: Fleet, strategy: str, clock: ManualClock | None = None
) -> AsyncGenerator[Scene]:
    """Open a store of one's own."""
    server = fleet["redis8"]
    assert isinstance(server, Redis)
    namespace = new_namespace()
    backend = RedisBackend(server.url, strategy, namespace=namespace, clock=clock)
    async with linked(backend) as link:
        yield Scene(link=link, server=server, key=f"{namespace}:{{{JOB}}}:{strategy}")


# --- what a stream with IDs forgets ---------------------------------------------------


async def test_idmp_remembers_more_slots_than_a_stream_does_by_itself(
    fleet: Fleet,
) -> None:
    """With its first claim a stream gets limits that fit, not the usual 100 IDs."""
    async with scene_on(fleet, "idmp") as scene:
        slots = past_slots(150)
        for slot in slots:
            await scene.run("a", slot)
        again = [await scene.claim("b", slot) for slot in slots]
    assert [Running] * 150 == [type(reply) for reply in again]


async def test_idmp_refuses_what_its_stream_may_have_forgotten(fleet: Fleet) -> None:
    """A slot older than all that the stream holds is refused, granted or not."""
    async with scene_on(fleet, "idmp") as scene:
        unasked, *slots = past_slots(1_101)
        for slot in slots:
            await scene.run("a", slot)
        again = [await scene.claim("b", slot) for slot in slots]
        assert [] == [reply for reply in again if isinstance(reply, Won)]
        assert isinstance(await scene.claim("b", unasked), Done)
        assert 1_000 == scene.command("XLEN", scene.key)


async def test_idmp_survives_that_its_limits_are_changed(
    fleet: Fleet, clock: ManualClock
) -> None:
    """A stream forgets all IDs with its limits; the slots are refused all the same."""
    async with scene_on(fleet, "idmp", clock) as scene:
        first = await run_two(scene, clock)
        scene.command("XCFGSET", scene.key, "IDMP-DURATION", 60, "IDMP-MAXSIZE", 50)
        assert isinstance(await scene.claim("b", first), Done)
        clock.move(1)
        assert isinstance(await scene.claim("b", clock.ms), Won)
        assert (86_400, 10_000) == limits_of(scene)


def limits_of(scene: Scene) -> tuple[int, int]:
    """Return for how many seconds the stream remembers how many IDs."""
    with scene.server.client() as client:
        info = client.xinfo_stream(scene.key)
    return info["idmp-duration"], info["idmp-maxsize"]


# --- what a key forgets ---------------------------------------------------------------


async def test_script_refuses_what_its_key_will_forget(
    fleet: Fleet, clock: ManualClock
) -> None:
    """Half of the time before a key expires its slot is late, whatever is allowed."""
    async with scene_on(fleet, "script", clock) as scene:
        first = clock.ms
        await scene.run("a", first)
        clock.move(60)
        await scene.run("a", clock.ms)
        key = scene.key.replace(":script", f":slot:{first}")
        assert 0 < 86_400_000 - remaining(scene.command("PTTL", key)) < 60_000
        clock.move(12 * HOUR)
        assert isinstance(await scene.claim("b", first, limit=1e6), Running)
        scene.command("DEL", key)
        assert isinstance(await scene.claim("b", first, limit=1e6), Late)


def remaining(reply: object) -> int:
    """Return a reply that is a number."""
    assert isinstance(reply, int)
    return reply


@pytest.fixture
def clock() -> ManualClock:
    """Return a store's clock that a test moves."""
    return ManualClock()


# --- what a stream with slots as IDs doesn't forget -----------------------------------


async def test_stream_id_needs_no_entry_to_refuse_a_slot(
    fleet: Fleet, clock: ManualClock
) -> None:
    """An emptied stream still knows its newest ID, and grants nothing older."""
    async with scene_on(fleet, "stream-id", clock) as scene:
        first = await run_two(scene, clock)
        scene.command("XTRIM", scene.key, "MAXLEN", 0)
        reply = await scene.claim("b", first)
        assert isinstance(reply, Done)
        assert (True, clock.ms) == (reply.superseded, reply.newest)
        clock.move(1)
        assert isinstance(await scene.claim("b", clock.ms), Won)


async def run_two(scene: Scene, clock: ManualClock) -> int:
    """Run a slot of which no record is left, and one more; return the first."""
    first = clock.ms
    await scene.run("a", first)
    clock.move(1)
    await scene.run("a", clock.ms)
    return first


async def test_stream_id_holds_few_entries(fleet: Fleet) -> None:
    """A stream doesn't grow with every slot."""
    async with scene_on(fleet, "stream-id") as scene:
        for slot in past_slots(500):
            await scene.run("a", slot)
        assert remaining(scene.command("XLEN", scene.key)) < 300


# --- what any server may forget -------------------------------------------------------


@each_strategy
async def test_forgotten_scripts_are_sent_again(fleet: Fleet, strategy: str) -> None:
    """A server that lost its scripts, as by a restart, gets them with the next call."""
    async with scene_on(fleet, strategy) as scene:
        first, second = past_slots(2)
        await scene.run("a", first)
        scene.command("SCRIPT", "FLUSH")
        await scene.run("b", second)


@each_strategy
async def test_claims_go_on_after_all_is_flushed(fleet: Fleet, strategy: str) -> None:
    """A runner whose run was wiped out is refused, and newer slots are granted."""
    async with scene_on(fleet, strategy) as scene:
        first, second = past_slots(2)
        assert isinstance(await scene.claim("a", first), Won)
        wipe(scene)
        store = scene.link.store
        call = scene.link.call
        assert not (await call(store.finish, JOB, first, "a", SUCCESS)).accepted
        if strategy == "lease":
            beat = partial(lease_store(scene).heartbeat, JOB, first, "a", 30.0)
            assert not (await call(beat)).accepted
        await scene.run("b", second)
        assert [second] == [r.slot for r in await call(store.history, JOB, 10)]


def wipe(scene: Scene) -> None:
    """Drop all keys of this store, as FLUSHALL drops those of all."""
    with scene.server.client() as client:
        keys = client.keys(f"{scene.key.partition(':')[0]}:*")
        assert len(keys) >= 2
        client.delete(*keys)


def lease_store(scene: Scene) -> LeaseStore:
    """Return the store as one with leases."""
    return cast("LeaseStore", scene.link.store)


# --- what a driver does by itself -----------------------------------------------------


@each_strategy
async def test_claim_that_the_driver_sends_again_has_won(
    fleet: Fleet, strategy: str
) -> None:
    """A client that retries by itself brings the answer of the second sending."""
    [slot] = past_slots(1)
    claim = claim_of(JOB, slot, "mine", "A")
    with Proxy(fleet["redis8"].port) as proxy:
        namespace = new_namespace()
        backend = retrying(proxy.port, strategy, namespace)
        async with linked(backend) as link:
            await link.call(link.store.history, JOB, 1)
            proxy.cut_next_reply(b"mine")
            assert isinstance(await link.call(link.store.claim, claim), Won)
            assert isinstance(await rival_of(link, claim), Running)


def retrying(port: int, strategy: str, namespace: str) -> RedisBackend:
    """Return a store on a client that retries, as the driver's clients do."""
    from redis.asyncio import Redis as Client

    return RedisBackend(
        lambda: Client(host="127.0.0.1", port=port), strategy, namespace=namespace
    )


async def rival_of(link: Link, claim: Claim) -> ClaimReply:
    """Claim the same slot for somebody else."""
    rival = replace(claim, token="theirs", instance_id="B")
    return await link.call(link.store.claim, rival)
