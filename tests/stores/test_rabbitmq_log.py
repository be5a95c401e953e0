"""The log of claims in RabbitMQ: nobody decides by a part of it."""

import asyncio

import anyio
import anyio.to_thread
import pytest
from aio_pika import Message
from aio_pika.abc import AbstractChannel

from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.backends.rabbitmq.entries import Claimed, new_id, packed
from anarchon.protocol import Claim, Late, Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.servers.server import Server
from tests.stores.claims import claim_of, past_slots
from tests.stores.rabbitmq_admin import delete, on_server, put
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(120)]

JOB = "job"
PATIENCE = 20.0
MANY = 1_000
AFTER_ALL_TIME = (
    b'{"id":"x","kind":"Claimed","job":"job","slot":1,"token":"t","instance_id":"A",'
    b'"reason":"scheduled","keep":5,"started":99999999999999999999}'
)
FOREIGN = (
    b"\xff",
    b"[]",
    b"[" * 100_000,
    b'{"id":"x","kind":"Claimed","job":1}',
    AFTER_ALL_TIME,
)


def asked(slot: int, who: str) -> Claim:
    """Return the claim of an instance that uses its own name as its token."""
    return claim_of(JOB, slot, who, who)


def taken_by(who: str) -> Running:
    """Return the answer to whoever comes second."""
    return Running(now=None, attempt=1, left=0.0, instance_id=who)


async def claim(link: Link, slot: int, who: str) -> object:
    """Claim a slot until there is an answer; return it."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                return await link.call(link.store.claim, asked(slot, who))
            except (ConnectionError, TimeoutError):
                await anyio.sleep(0.1)


async def fill(server: Server, namespace: str, slots: range) -> None:
    """Write claims for these slots to the log, all at once."""

    async def deed(channel: AbstractChannel) -> None:
        bodies = (packed(new_id(), Claimed.by(asked(at, "old"), at)) for at in slots)
        exchange, stream = channel.default_exchange, f"{namespace}.claims"
        await asyncio.gather(
            *(exchange.publish(Message(body), stream) for body in bodies)
        )

    await on_server(server, deed)


async def test_store_that_is_open_has_read_all(fleet: Fleet) -> None:
    """What was claimed before is known from the start, and never asked for again.

    The last entry counts as the first does, and the server isn't needed to tell.
    """
    server, namespace = fleet["rabbitmq310"], new_namespace()
    slots = past_slots(MANY)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)):
        await fill(server, namespace, slots)
    with Proxy(server.port) as proxy:
        backend = RabbitMQBackend(server.url_at(proxy.port), namespace=namespace)
        async with linked(backend) as link:
            proxy.refuse()
            for slot in (slots[-1], slots[0]):
                reply = await link.call(link.store.claim, asked(slot, "new"))
                assert taken_by("old") == reply


async def test_claims_that_were_missed_are_read_later(fleet: Fleet) -> None:
    """An instance that was cut off learns of what was won meanwhile before it asks."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    there = RabbitMQBackend(server.url, namespace=namespace)
    first, *missed, last = past_slots(20)
    with Proxy(server.port) as proxy:
        here = RabbitMQBackend(server.url_at(proxy.port), namespace=namespace)
        async with linked(there) as rival, linked(here) as link:
            assert isinstance(await claim(link, first, "here"), Won)
            proxy.refuse()
            for slot in missed:
                assert isinstance(await claim(rival, slot, "there"), Won)
            proxy.heal()
            for slot in missed:
                assert taken_by("there") == await claim(link, slot, "here")
            assert isinstance(await claim(link, last, "here"), Won)


async def test_dead_reader_is_noticed(fleet: Fleet) -> None:
    """A connection that fell silent is given up, though nobody has closed it."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    there = RabbitMQBackend(server.url, namespace=namespace)
    missed, own = past_slots(2)
    with Proxy(server.port) as proxy:
        here = RabbitMQBackend(server.url_at(proxy.port), namespace=namespace)
        async with linked(there) as rival, linked(here) as link:
            proxy.strand()
            assert isinstance(await claim(rival, missed, "there"), Won)
            assert taken_by("there") == await claim(link, missed, "here")
            assert isinstance(await claim(link, own, "here"), Won)


async def test_restart_of_the_server_costs_no_claim(fleet: Fleet) -> None:
    """What was won before is known afterwards, by those who were there and others."""
    before, after = past_slots(2)
    with fleet.fresh("rabbitmq310") as server:
        backend = RabbitMQBackend(server.url)
        async with linked(backend) as link:
            assert isinstance(await claim(link, before, "a"), Won)
            await anyio.to_thread.run_sync(server.restart)
            assert isinstance(await claim(link, before, "a"), Won)
            assert isinstance(await claim(link, after, "a"), Won)
        async with linked(backend) as link:
            for slot in (before, after):
                assert taken_by("a") == await claim(link, slot, "b")


async def test_log_that_was_deleted_is_made_anew(fleet: Fleet) -> None:
    """Whoever was there remembers the old log, and reads all of the new one.

    The new log's entries stand at offsets that were read before, in the old one.
    """
    server, namespace = fleet["rabbitmq310"], new_namespace()
    backend = RabbitMQBackend(server.url, namespace=namespace)
    *old, new, last = past_slots(12)
    with Proxy(server.port) as proxy:
        here = RabbitMQBackend(server.url_at(proxy.port), namespace=namespace)
        async with linked(here) as link:
            for slot in old:
                assert isinstance(await claim(link, slot, "here"), Won)
            proxy.refuse()
            await delete(server, f"{namespace}.claims")
            async with linked(backend) as rival:
                assert isinstance(await claim(rival, new, "there"), Won)
            proxy.heal()
            assert taken_by("there") == await claim(link, new, "here")
            assert taken_by("here") == await claim(link, old[-1], "b")
            assert isinstance(await claim(link, last, "here"), Won)


async def test_log_deleted_under_its_readers_is_made_anew(fleet: Fleet) -> None:
    """An instance goes on with a new log as soon as the old one is gone."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    first, second = past_slots(2)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
        assert isinstance(await claim(link, first, "a"), Won)
        await delete(server, f"{namespace}.claims")
        assert isinstance(await claim(link, second, "a"), Won)
        assert taken_by("a") == await claim(link, first, "b")


async def test_foreign_entries_are_passed_over(
    fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    """What somebody else wrote to the log is told once, and hinders nobody."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    [slot] = past_slots(1)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
        for body in FOREIGN:
            await put(server, f"{namespace}.claims", body)
        assert isinstance(await claim(link, slot, "a"), Won)
    told = [record.getMessage() for record in caplog.records]
    ignored = [text for text in told if f"{namespace}.claims is ignored" in text]
    assert len(FOREIGN) == len(ignored)


async def test_slots_that_may_be_forgotten_are_late(fleet: Fleet) -> None:
    """A slot older than half of what is remembered is refused, even to the first."""
    namespace = new_namespace()
    backend = RabbitMQBackend(
        fleet["rabbitmq310"].url, namespace=namespace, remember="2m"
    )
    [now] = past_slots(1)
    async with linked(backend) as link:
        assert Late(now=None) == await claim(link, now - 60_000, "a")
        assert isinstance(await claim(link, now - 50_000, "a"), Won)
