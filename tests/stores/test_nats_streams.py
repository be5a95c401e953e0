"""The streams of a NATS store: how they come to be, and what others make of them."""

import asyncio
from collections import Counter
from dataclasses import replace
from functools import partial

import anyio
import anyio.to_thread
import pytest
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig

from anarchon.backends.nats import NatsBackend, opening, streams
from anarchon.backends.nats.connection import Connection
from anarchon.backends.nats.jetstream import ApiError, Fields, JetStream
from anarchon.errors import BackendUnavailable
from anarchon.protocol import Claim, ClaimReply, Late, Running, Won
from anarchon.testing.conformance.probe import linked
from tests.servers.fleet import Fleet
from tests.servers.server import Server
from tests.stores.claims import claim_of, past_slots
from tests.stores.nats_admin import on_server
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(60)]

JOB = "job"
DAY = 86_400.0
STARTS = 20

RIGHT = StreamConfig(
    discard=DiscardPolicy.NEW,
    discard_new_per_subject=True,
    max_msgs_per_subject=1,
    storage=StorageType.FILE,
)


@pytest.fixture(params=["nats215", "nats29"])
def server(request: pytest.FixtureRequest, fleet: Fleet) -> Server:
    """Give each server."""
    return fleet[request.param]


@pytest.fixture
def namespace() -> str:
    """Return a namespace that no other test has."""
    return new_namespace()


def claim(token: str, slot: int) -> Claim:
    """Return a claim of the instance that is named like its token."""
    return claim_of(JOB, slot, token, token.upper())


async def test_many_may_start_at_once(server: Server, namespace: str) -> None:
    """L1: instances that find no streams and create them all grant a slot once."""
    [slot] = past_slots(1)
    won: list[str] = []

    async def start(token: str) -> None:
        async with linked(NatsBackend(server.url, namespace=namespace)) as link:
            reply = await link.call(link.store.claim, claim(token, slot))
            won.extend([token] * isinstance(reply, Won))

    async with anyio.create_task_group() as group:
        for number in range(STARTS):
            group.start_soon(start, f"t{number}")
    assert 1 == len(won)


class Forgetful(JetStream):
    """Acts on each request, and gives the first ``times`` of them no answer."""

    def __init__(self, connection: Connection, times: int) -> None:
        super().__init__(connection)
        self._times = times
        self._asked = Counter[str]()

    async def api(self, verb: str, **request: object) -> Fields:
        """Ask, and let nobody know."""
        answer = await super().api(verb, **request)
        self._asked[verb] += 1
        if self._asked[verb] <= self._times:
            await asyncio.Event().wait()
        return answer


async def test_what_is_not_answered_is_asked_again(
    server: Server, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who create a stream at once in a cluster may get no answer, and open."""
    monkeypatch.setattr(opening, "JetStream", partial(Forgetful, times=2))
    monkeypatch.setattr(streams, "AGAIN_AFTER", 0.1)
    [slot] = past_slots(1)
    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        assert isinstance(await link.call(link.store.claim, claim("a", slot)), Won)


async def test_streams_that_nobody_answers_for_are_no_store(
    server: Server, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening ends when there is no answer, however often it is asked for."""
    monkeypatch.setattr(opening, "JetStream", partial(Forgetful, times=1_000))
    monkeypatch.setattr(streams, "AGAIN_AFTER", 0.1)
    monkeypatch.setattr(streams, "SET_UP_WITHIN", 0.5)
    with pytest.raises(BackendUnavailable, match=r"no streams within 0\.5 s"):
        async with linked(NatsBackend(server.url, namespace=namespace)):
            pass


async def test_full_stream_is_no_taken_slot(server: Server, namespace: str) -> None:
    """L1: a stream without room grants nothing, and the slot is free for later."""

    async def limit(jetstream: JetStreamContext, messages: int) -> None:
        config = (await jetstream.stream_info(f"{namespace}_claims")).config
        await jetstream.update_stream(replace(config, max_msgs=messages))

    first, second = past_slots(2)
    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        assert isinstance(await link.call(link.store.claim, claim("a", first)), Won)
        await on_server(server, lambda jetstream: limit(jetstream, 1))
        with pytest.raises(ApiError, match="maximum messages exceeded"):
            await link.call(link.store.claim, claim("a", second))
        taken = await link.call(link.store.claim, claim("b", first))
        assert isinstance(taken, Running)
        await on_server(server, lambda jetstream: limit(jetstream, -1))
        assert isinstance(await link.call(link.store.claim, claim("b", second)), Won)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            replace(RIGHT, discard=DiscardPolicy.OLD, discard_new_per_subject=False),
            "discard='old'",
        ),
        (replace(RIGHT, discard_new_per_subject=False), "per_subject=False"),
        (replace(RIGHT, storage=StorageType.MEMORY), "storage='memory'"),
        (replace(RIGHT, max_msgs_per_subject=2), "max_msgs_per_subject=2"),
    ],
    ids=["old", "not-per-subject", "memory", "two"],
)
async def test_stream_that_grants_twice_is_refused(
    server: Server, namespace: str, wrong: StreamConfig, told: str
) -> None:
    """L1: a stream of the same name that lacks what makes a claim isn't used."""
    subjects = [f"{namespace}.c.*.*", f"{namespace}.t.*"]

    async def create(jetstream: JetStreamContext) -> None:
        config = replace(wrong, name=f"{namespace}_claims", subjects=subjects)
        await jetstream.add_stream(config)

    await on_server(server, create)
    with pytest.raises(BackendUnavailable, match=told):
        async with linked(NatsBackend(server.url, namespace=namespace)):
            pass


async def test_stream_with_the_same_subjects_is_named(
    server: Server, namespace: str
) -> None:
    """Whoever meets another system's stream is told which one it is."""
    other = f"{namespace}_of_others"

    async def create(jetstream: JetStreamContext) -> None:
        await jetstream.add_stream(name=other, subjects=[f"{namespace}.>"])

    await on_server(server, create)
    with pytest.raises(BackendUnavailable, match=other):
        async with linked(NatsBackend(server.url, namespace=namespace)):
            pass


async def test_what_is_remembered_only_grows(server: Server, namespace: str) -> None:
    """L1: no instance makes the others' claims be forgotten sooner."""

    async def max_age(jetstream: JetStreamContext) -> float | None:
        return (await jetstream.stream_info(f"{namespace}_claims")).config.max_age

    ages: list[float | None] = []
    for remember in (DAY, DAY / 2, 2 * DAY):
        backend = NatsBackend(server.url, namespace=namespace, remember=remember)
        async with linked(backend):
            ages.append(await on_server(server, max_age))
    assert [DAY, DAY, 2 * DAY] == ages


async def test_slot_that_may_be_forgotten_is_late(
    server: Server, namespace: str
) -> None:
    """L1: past half of what is remembered nothing is granted, whatever the limit."""
    backend = NatsBackend(server.url, namespace=namespace, remember=4)
    [slot] = past_slots(1)
    async with linked(backend) as link:
        old = claim("a", slot - 1_001)
        assert isinstance(await link.call(link.store.claim, old), Late)
        assert isinstance(await link.call(link.store.claim, claim("a", slot)), Won)
        replies: list[ClaimReply] = []
        with anyio.fail_after(20):
            while not (replies and isinstance(replies[-1], Late)):
                await anyio.sleep(0.2)
                reply = await link.call(link.store.claim, claim("b", slot))
                replies.append(reply)
    assert {Running, Late} == set(map(type, replies))


async def test_claims_survive_a_kill(fleet: Fleet, namespace: str) -> None:
    """L1: what was acknowledged is known after the server was killed."""
    slots = past_slots(50)
    with fleet.fresh("nats215") as server:
        async with linked(NatsBackend(server.url, namespace=namespace)) as link:
            for slot in slots:
                won = await link.call(link.store.claim, claim("a", slot))
                assert isinstance(won, Won)
            await anyio.to_thread.run_sync(server.restart)
            for slot in slots:
                taken = await link.call(link.store.claim, claim("b", slot))
                assert isinstance(taken, Running)
