"""Clients of redis-py in place of a URL: whose they are, and where they can be used."""

import asyncio
from collections.abc import Generator
from uuid import uuid4

import anyio
import pytest
import redis
from anyio.from_thread import start_blocking_portal
from redis.asyncio import Redis, RedisCluster, Sentinel

from anarchon.backends.redis import RedisBackend
from anarchon.backends.redis import client as module
from anarchon.bridge import open_bridge
from anarchon.errors import BackendUnavailable, InvalidOption
from anarchon.protocol import Backend, ClaimReply, Won
from anarchon.testing.conformance import ClaimConformance, LeaseConformance, ManualClock
from anarchon.testing.conformance.laws.order import InOrder, InTime
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.cluster import ClusterOfThree
from tests.servers.fleet import Fleet
from tests.servers.sentinel import SentinelTrio
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(120)]

on_asyncio = pytest.mark.parametrize(
    "anyio_backend", [pytest.param(("asyncio", {"debug": True}), id="asyncio")]
)
on_trio = pytest.mark.parametrize(
    "anyio_backend", [pytest.param(("trio", {}), id="trio")]
)


async def claim(link: Link, job: str = "sync") -> ClaimReply:
    """Claim a slot of a job that was due a moment ago."""
    [slot] = past_slots(1)
    asked = claim_of(job, slot, uuid4().hex, "A")
    return await link.call(link.store.claim, asked)


def is_connected(client: Redis) -> bool:
    """Whether a client has a connection in its pool."""
    pool = client.connection_pool
    return any(one.is_connected for one in pool._available_connections)  # noqa: SLF001


# --- whose a client is ----------------------------------------------------------------


@on_asyncio
async def test_users_client_is_left_open(fleet: Fleet) -> None:
    """A client that the user made works on after the store is closed."""
    async with Redis.from_url(fleet["redis8"].url) as client:
        async with linked(RedisBackend(client, namespace=new_namespace())) as link:
            assert isinstance(await claim(link), Won)
        assert is_connected(client)
        assert await client.ping()


@pytest.mark.parametrize("waits", [False, True])
async def test_made_client_is_closed(fleet: Fleet, waits: bool) -> None:
    """What a factory makes, or gives when awaited, is closed with the store."""
    made: list[Redis] = []

    def make() -> Redis:
        made.append(Redis.from_url(fleet["redis8"].url))
        return made[0]

    async def make_later() -> Redis:
        await asyncio.sleep(0)
        return make()

    factory = make_later if waits else make
    async with linked(RedisBackend(factory, namespace=new_namespace())) as link:
        assert isinstance(await claim(link), Won)
        assert is_connected(made[0])
    assert 1 == len(made)
    assert not is_connected(made[0])


@on_trio
async def test_client_comes_to_trio_with_its_bridge(fleet: Fleet) -> None:
    """In a Trio program a client is made behind a bridge, and stays open with it."""
    async with open_bridge() as bridge:

        async def make() -> Redis:
            await asyncio.sleep(0)
            return Redis.from_url(fleet["redis8"].url)

        client = await bridge.call(make)
        backend = RedisBackend(client, namespace=new_namespace(), bridge=bridge)
        async with linked(backend) as link:
            assert isinstance(await claim(link), Won)
        assert await bridge.call(client.ping)
        await bridge.call(client.aclose)


@on_trio
async def test_client_without_its_bridge_is_refused_on_trio(fleet: Fleet) -> None:
    """The error shows how a bridge is opened."""
    client = Redis.from_url(fleet["redis8"].url)
    with pytest.raises(InvalidOption, match=r"anarchon\.open_bridge"):
        async with linked(RedisBackend(client)):
            pass


@on_asyncio
async def test_client_of_another_loop_is_refused(fleet: Fleet) -> None:
    """A client that is connected elsewhere is told from a server that is away."""
    client = Redis.from_url(fleet["redis8"].url)
    with start_blocking_portal("asyncio") as portal:
        portal.call(client.echo, "connected")
        with pytest.raises(InvalidOption, match="another event loop"):
            async with linked(RedisBackend(client)):
                pass
        portal.call(client.aclose)


@pytest.mark.parametrize("given", [redis.Redis(), 7, None])
def test_anything_else_is_no_client(given: object) -> None:
    """The error names the kinds of clients that will do."""
    with pytest.raises(InvalidOption, match=r"redis\.asyncio"):
        RedisBackend(given)  # type: ignore[arg-type]


async def test_factory_of_anything_else_is_refused() -> None:
    """What isn't a client is refused before it is used."""
    backend = RedisBackend(redis.Redis)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match=r"redis\.asyncio"):
        async with linked(backend):
            pass


async def test_factory_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that never gets ready holds nobody for longer than a server would."""
    monkeypatch.setattr(module, "CONNECT_WITHIN", 0.1)

    async def make() -> Redis:
        await asyncio.Event().wait()
        raise AssertionError

    with anyio.fail_after(5), pytest.raises(BackendUnavailable, match="TimeoutError"):
        async with linked(RedisBackend(make)):
            pass


# --- how a client is set --------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3])
async def test_small_pool_is_not_asked_for_more(fleet: Fleet, size: int) -> None:
    """Many claims at once wait for the few connections that a client may have."""
    url, replies = fleet["redis8"].url, list[ClaimReply]()
    backend = RedisBackend(
        lambda: Redis.from_url(url, max_connections=size), namespace=new_namespace()
    )

    async def ask(link: Link, job: str) -> None:
        replies.append(await claim(link, job))

    async with linked(backend) as link, anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(ask, link, f"job {number}")
    assert [Won] * 50 == [type(reply) for reply in replies]


class TestDecodingClient(LeaseConformance):
    """A client that decodes what it reads, and speaks the newer protocol."""

    @pytest.fixture
    def backend(self, clock: ManualClock, fleet: Fleet) -> Backend:
        """Return an empty store."""
        url = fleet["redis8"].url

        def make() -> Redis:
            return Redis.from_url(url, decode_responses=True, protocol=3)

        return RedisBackend(make, namespace=new_namespace(), clock=clock)


# --- Sentinel and Cluster -------------------------------------------------------------


async def test_master_is_found_by_sentinels() -> None:
    """A failover is followed: the next call is one to the promoted replica."""
    with SentinelTrio() as trio:
        backend = RedisBackend(lambda: master_of(trio), namespace=new_namespace())
        async with linked(backend) as link:
            assert isinstance(await claim(link, "before"), Won)
            with trio.master.client() as master:
                assert 1 == master.wait(1, 5_000)
            await anyio.to_thread.run_sync(fail_over, trio)
            assert isinstance(await claim(link, "after"), Won)
            records = await link.call(link.store.history, "before", 1)
    assert ["A"] == [record.instance_id for record in records]


def master_of(trio: SentinelTrio) -> Redis:
    """Return a client that asks the Sentinels for its master."""
    sentinels = Sentinel(trio.addresses)  # type: ignore[no-untyped-call]
    master: Redis = sentinels.master_for(trio.service)
    return master


def fail_over(trio: SentinelTrio) -> None:
    """Kill the master, and wait until its replica is one."""
    replica = trio.replica
    trio.master.kill()
    trio.until_master(replica)


@pytest.fixture(scope="module")
def nodes() -> Generator[ClusterOfThree]:
    """Give a Redis Cluster to the tests of this file."""
    with ClusterOfThree() as nodes:
        yield nodes


def backend_on(
    nodes: ClusterOfThree, strategy: str, clock: ManualClock
) -> RedisBackend:
    """Return an empty store of the whole cluster."""
    url, namespace = nodes.url, new_namespace()
    return RedisBackend(
        lambda: RedisCluster.from_url(url), strategy, namespace=namespace, clock=clock
    )


class TestLeaseOnCluster(LeaseConformance):
    """Leases on three nodes, each with the jobs whose keys fall to it."""

    @pytest.fixture
    def backend(self, clock: ManualClock, nodes: ClusterOfThree) -> Backend:
        """Return an empty store."""
        return backend_on(nodes, "lease", clock)


class TestStreamIdOnCluster(ClaimConformance, InTime, InOrder):
    """Claims on three nodes."""

    @pytest.fixture
    def backend(self, clock: ManualClock, nodes: ClusterOfThree) -> Backend:
        """Return an empty store."""
        return backend_on(nodes, "stream-id", clock)
