"""A NATS store's history: bounded in the server, and whole within that."""

from dataclasses import replace

import pytest
from nats.js import JetStreamContext

from anarchon.backends.nats import NatsBackend
from anarchon.backends.nats.history import SURPLUS
from anarchon.backends.nats.store import TRIMMING
from anarchon.backends.records import Unreadable
from anarchon.model import Status
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.server import Server
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.nats_admin import on_server
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(60)]

JOB = "job"
KEEP = 5
TOO_DEEP = b"[" * 100_000
AFTER_ALL_TIME = (
    b'{"token":"t","instance_id":"A","reason":"scheduled","keep":5,'
    b'"started":99999999999999999999}'
)


@pytest.fixture(params=["nats215", "nats29"])
def server(request: pytest.FixtureRequest, fleet: Fleet) -> Server:
    """Give each server."""
    return fleet[request.param]


@pytest.fixture
def namespace() -> str:
    """Return a namespace that no other test has."""
    return new_namespace()


async def win(link: Link, slot: int, keep: int = KEEP) -> None:
    """Win a slot with a token that is named like it."""
    claim = replace(claim_of(JOB, slot, f"t{slot}", "A"), keep=keep)
    assert isinstance(await link.call(link.store.claim, claim), Won)


async def finish(link: Link, slot: int) -> None:
    """Finish the run of a slot."""
    answer = await link.call(link.store.finish, JOB, slot, f"t{slot}", SUCCESS)
    assert answer.accepted


async def messages_in(server: Server, stream: str) -> int:
    """Return how many messages a stream has."""

    async def count(jetstream: JetStreamContext) -> int:
        return (await jetstream.stream_info(stream)).state.messages

    return await on_server(server, count)


async def test_results_are_trimmed_on_the_server(
    server: Server, namespace: str
) -> None:
    """L10: a job that runs for ever has a bounded number of results."""
    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        for slot in past_slots(2 * (KEEP + SURPLUS)):
            await win(link, slot)
            await finish(link, slot)
    kept = await messages_in(server, f"{namespace}_history")
    assert KEEP + SURPLUS <= kept < KEEP + SURPLUS + TRIMMING


async def test_trimmed_runs_are_not_shown_as_running(
    server: Server, namespace: str
) -> None:
    """L10: a claim outlives its result in the server, and not in history."""
    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        *slots, last = past_slots(KEEP + SURPLUS + TRIMMING)
        for slot in slots:
            await win(link, slot)
            await finish(link, slot)
        # whoever keeps more sees no more of what others have trimmed
        await win(link, last, keep=1_000)
        await finish(link, last)
        history = await link.call(link.store.history, JOB, 1_000)
    assert {Status.SUCCESS} == {record.status for record in history}
    assert [last, *reversed(slots)][:KEEP] == [record.slot for record in history][:KEEP]


async def test_orphans_are_shown_among_results(server: Server, namespace: str) -> None:
    """L10: a run whose runner is gone reads running, in its place."""
    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        slots = past_slots(KEEP)
        for slot in slots:
            await win(link, slot)
        for slot in slots[1::2]:
            await finish(link, slot)
        history = await link.call(link.store.history, JOB, 3)
    running, success = Status.RUNNING, Status.SUCCESS
    assert [(slots[4], running), (slots[3], success), (slots[2], running)] == [
        (record.slot, record.status) for record in history
    ]


@pytest.mark.parametrize("kind", ["c", "r"])
@pytest.mark.parametrize("body", [b"hello", TOO_DEEP, AFTER_ALL_TIME], ids=len)
async def test_foreign_message_is_named(
    server: Server, namespace: str, kind: str, body: bytes
) -> None:
    """What a store can't have written is reported with its subject."""
    subject = f"{namespace}.{kind}.{JOB}.17"

    async def publish(jetstream: JetStreamContext) -> None:
        await jetstream.publish(subject, body)

    async with linked(NatsBackend(server.url, namespace=namespace)) as link:
        await on_server(server, publish)
        with pytest.raises(Unreadable, match=subject):
            await link.call(link.store.history, JOB, 1)
        other = await link.call(link.store.history, "other", 1)
    assert [] == other
