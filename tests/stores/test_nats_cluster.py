"""A NATS store whose streams are kept by three servers."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread
import pytest
from nats.js import JetStreamContext

from anarchon.backends.nats import NatsBackend
from anarchon.protocol import Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.server import Server
from tests.stores.claims import claim_of, past_slots
from tests.stores.nats_admin import on_server
from tests.stores.nats_cluster import COUNT, cluster
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(120)]

JOB = "job"
TOKENS = "abcdef"
PATIENCE = 60.0

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Servers = Mapping[str, Server]
Links = Mapping[str, Link]


@pytest.fixture
def servers(fleet: Fleet) -> Generator[Servers]:
    """Give three servers that are one."""
    with cluster(fleet) as servers:
        yield servers


async def ask(link: Link, slot: int, token: str) -> object:
    """Claim a slot and return the answer."""
    claim = claim_of(JOB, slot, token, token.upper())
    return await link.call(link.store.claim, claim)


async def until_answered(call: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
    """Ask a cluster that is choosing a leader, until there is an answer."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                return await call(*args)
            except Exception:  # noqa: BLE001  any failure means "unknown"
                await anyio.sleep(0.1)


async def persist(link: Link, slot: int, token: str) -> object:
    """Claim a slot until there is an answer."""
    return await until_answered(ask, link, slot, token)


async def answers_to(
    ask: Callable[[Link, int, str], Awaitable[object]], links: Links, slot: int
) -> dict[type, int]:
    """Claim a slot everywhere at the same time; count the kinds of answers."""
    answers: list[object] = []

    async def add(token: str, link: Link) -> None:
        answers.append(await ask(link, slot, token))

    async with anyio.create_task_group() as group:
        for token, link in links.items():
            group.start_soon(add, token, link)
    return dict(Counter(map(type, answers)))


async def leader_of(server: Server, stream: str) -> str:
    """Return the name of the server that decides about a stream."""

    async def find(jetstream: JetStreamContext) -> str:
        cluster = (await jetstream.stream_info(stream)).cluster
        assert cluster is not None
        assert cluster.leader is not None
        return cluster.leader

    return await on_server(server, find)


@asynccontextmanager
async def links_to(servers: Servers, namespace: str) -> AsyncGenerator[Links]:
    """Open a store for each token, connected to any of the servers."""
    url = ",".join(server.url for server in servers.values())
    backend = NatsBackend(url, namespace=namespace, replicas=COUNT)
    async with AsyncExitStack() as stack:
        yield {
            token: await stack.enter_async_context(linked(backend)) for token in TOKENS
        }


async def test_slot_has_one_winner_through_the_loss_of_a_leader(
    servers: Servers,
) -> None:
    """L1, L2: a cluster grants each slot once, and loses one of its servers."""
    namespace = new_namespace()
    one_winner = {Won: 1, Running: len(TOKENS) - 1}
    slots = past_slots(60)
    async with links_to(servers, namespace) as links:
        for slot in slots[:30]:
            assert one_winner == await answers_to(ask, links, slot)
        any_server = next(iter(servers.values()))
        leader = servers[await leader_of(any_server, f"{namespace}_claims")]
        await anyio.to_thread.run_sync(leader.kill)
        for slot in slots[30:]:
            assert one_winner == await answers_to(persist, links, slot)
        link = links["a"]
        late = {type(await persist(link, slot, "late")) for slot in slots}
        history = await until_answered(link.call, link.store.history, JOB, 100)
    assert {Running} == late
    assert list(slots) == sorted(record.slot for record in history)


async def test_many_may_start_at_once(servers: Servers) -> None:
    """A stream that one server has just created is found through all of them."""
    namespace = new_namespace()
    opened: list[str] = []

    async def start(server: Server) -> None:
        backend = NatsBackend(server.url, namespace=namespace, replicas=COUNT)
        async with linked(backend) as link:
            await link.call(link.store.prepare, [JOB])
            opened.append(server.url)

    async with anyio.create_task_group() as group:
        for server in servers.values():
            for _ in range(3):
                group.start_soon(start, server)
    assert 3 * COUNT == len(opened)
