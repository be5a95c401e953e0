"""A RabbitMQ server as it is found, used and left."""

import time

import aio_pika
import anyio
import pytest
from aio_pika.abc import AbstractConnection

import anarchon
from anarchon.backends.rabbitmq import RabbitMQBackend
from anarchon.backends.records import Unreadable
from anarchon.errors import BackendTooOld, BackendUnavailable, InvalidOption
from anarchon.model import Status
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.stores.claims import SUCCESS, claim_of, manual_record, past_slots
from tests.stores.rabbitmq_admin import delete, kinds_of_queues, put
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(90)]

JOB = "job"
SOON = 2.0
BOUND = 5.0
RECORDS, KEPT = 150, 20


async def record(link: Link, slot: int) -> None:
    """Add the record of a run by hand that started at its slot."""
    await link.call(link.store.record, manual_record(JOB, slot), f"m{slot}", KEPT)


async def wins(link: Link, slot: int) -> bool:
    """Claim a slot; tell whether it was won."""
    reply = await link.call(link.store.claim, claim_of(JOB, slot, "a", "A"))
    return isinstance(reply, Won)


async def test_every_queue_is_made_a_stream(fleet: Fleet) -> None:
    """The server's own default for queues is never asked."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    [slot] = past_slots(1)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
        await link.call(link.store.prepare, ["prepared"])
        assert await wins(link, slot)
    names = ("claims", "history.prepared", "history.job")
    kinds = await kinds_of_queues(server)
    mine = {name: kind for name, kind in kinds.items() if namespace in name}
    assert {f"{namespace}.{name}": "stream" for name in names} == mine


async def test_instances_start_together_on_an_empty_server(fleet: Fleet) -> None:
    """Whoever makes the streams, all of them open the store and one wins the slot."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    [slot] = past_slots(1)
    won: list[bool] = []

    async def instance(token: str) -> None:
        async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
            claim = claim_of(JOB, slot, token, token)
            won.append(isinstance(await link.call(link.store.claim, claim), Won))
            await link.call(link.store.history, JOB, 1)

    async with anyio.create_task_group() as group:
        for token in "abcdefghij":
            group.start_soon(instance, token)
    assert [False] * 9 + [True] == sorted(won)


async def test_server_without_streams_is_too_old(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the version that was found, and the one that is needed."""
    url = fleet["rabbitmq310"].url

    async def connect() -> AbstractConnection:
        connection = await aio_pika.connect(url)
        assert connection.transport is not None
        connection.transport.connection.server_properties["version"] = b"3.8.34"
        return connection

    with pytest.raises(BackendTooOld, match=r"3\.8\.34 .* 3\.9"):
        async with linked(RabbitMQBackend(connect)):
            pass


async def test_other_memory_than_the_others_is_refused(fleet: Fleet) -> None:
    """Who would forget claims sooner, or later, than the log does is told so."""
    url, namespace = fleet["rabbitmq310"].url, new_namespace()
    other = RabbitMQBackend(url, namespace=namespace, remember="1h")
    async with linked(RabbitMQBackend(url, namespace=namespace)):
        with pytest.raises(BackendUnavailable, match="same value of remember"):
            async with linked(other):
                pass


async def test_options_come_from_the_url(fleet: Fleet) -> None:
    """What is anarchon's isn't told to the driver, and the rest is."""
    url = f"{fleet['rabbitmq310'].url}?remember=90m&heartbeat=30"
    backend = RabbitMQBackend.from_url(f"{url}&namespace={new_namespace()}")
    assert 5_400.0 == backend.remembers
    [slot] = past_slots(1)
    async with linked(backend) as link:
        assert await wins(link, slot)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("amqp://host?remember=soon", "'soon'"),
        ("amqp://host?remember=59s", "60 or more, not '59s'"),
        ("amqp://host?remember=61.5s", "whole seconds"),
        ("amqp://host?namespace=amq", "'amq'"),
        ("amqp://host?namespace=a.b", "'a.b'"),
        ("amqp:///vhost", "amqp://user:password@host:port/vhost"),
        ("http://host", "amqp://user:password@host:port/vhost"),
    ],
)
def test_bad_url_is_refused(url: str, complaint: str) -> None:
    """The error names the value, or what a URL looks like."""
    with pytest.raises(InvalidOption, match=complaint):
        RabbitMQBackend.from_url(url)


@pytest.mark.parametrize("given", [17, None, b"amqp://me:secret@host"])
def test_what_is_no_client_is_refused(given: object) -> None:
    """The error says what there may be instead, and shows no password."""
    with pytest.raises(InvalidOption, match="a connection of aio_pika") as caught:
        RabbitMQBackend(given)  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


async def test_late_slots_that_cannot_be_told_apart_are_refused(fleet: Fleet) -> None:
    """A job may not be later than half of what is remembered."""
    url = f"{fleet['rabbitmq310'].url}?remember=1m&namespace={new_namespace()}"
    async with anarchon.open_scheduler(url) as scheduler:
        with pytest.raises(InvalidOption, match="max_late"):
            scheduler.every("job", "1h", print, max_late=31)


async def test_history_that_was_deleted_begins_again(fleet: Fleet) -> None:
    """Of a job whose records are gone, those that go on are known, and new ones."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    first, second = past_slots(2)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
        assert await wins(link, first)
        await delete(server, f"{namespace}.history.{JOB}")
        [going_on] = await link.call(link.store.history, JOB, 9)
        assert first == going_on.slot
        assert (await link.call(link.store.finish, JOB, first, "a", SUCCESS)).accepted
        await delete(server, f"{namespace}.history.{JOB}")
        assert [] == await link.call(link.store.history, JOB, 9)
        assert await wins(link, second)
        records = await link.call(link.store.history, JOB, 9)
    assert [second] == [record.slot for record in records]


async def test_newest_records_of_many_are_read(fleet: Fleet) -> None:
    """However many records a stream still has, as many are read as were kept.

    The end of a run that took long stands far behind its beginning.
    """
    backend = RabbitMQBackend(fleet["rabbitmq310"].url, namespace=new_namespace())
    slot, *later = past_slots(RECORDS)
    async with linked(backend) as link:
        assert await wins(link, slot)
        for later_slot in later[:-1]:
            await record(link, later_slot)
        await link.call(link.store.finish, JOB, slot, "a", SUCCESS)
        await record(link, later[-1])
        records = await link.call(link.store.history, JOB, 10 * KEPT)
        [newest] = await link.call(link.store.history, JOB, 1)
    # it was started just now, and the others when they were due
    assert [slot, *later[:-KEPT:-1]] == [record.slot for record in records]
    assert (slot, Status.SUCCESS) == (newest.slot, newest.status)


async def test_foreign_record_is_named(fleet: Fleet) -> None:
    """What can't be a record is told with the place where it is; other jobs go on."""
    server, namespace = fleet["rabbitmq310"], new_namespace()
    [slot] = past_slots(1)
    async with linked(RabbitMQBackend(server.url, namespace=namespace)) as link:
        assert await wins(link, slot)
        await put(server, f"{namespace}.history.{JOB}", b"hello")
        with pytest.raises(Unreadable, match=f"{namespace}.history.{JOB}, entry 1 "):
            await link.call(link.store.history, JOB, 9)
        assert [] == await link.call(link.store.history, "other", 9)
        assert await wins(link, slot)


async def test_closing_is_bounded(fleet: Fleet) -> None:
    """A store is closed within two seconds, though its server is silent."""
    server = fleet["rabbitmq310"]
    with Proxy(server.port) as proxy:
        backend = RabbitMQBackend(server.url_at(proxy.port), namespace=new_namespace())
        async with linked(backend):
            proxy.blackhole()
            begun = time.monotonic()
        assert SOON + 0.5 > time.monotonic() - begun


async def test_silent_server_is_no_open_store(fleet: Fleet) -> None:
    """Opening a store whose server takes connections and says nothing fails in time."""
    with Proxy(fleet["rabbitmq310"].port) as proxy:
        proxy.blackhole()
        backend = RabbitMQBackend(fleet["rabbitmq310"].url_at(proxy.port))
        with anyio.fail_after(BOUND + SOON), pytest.raises(BackendUnavailable):
            async with linked(backend):
                pass


async def test_caller_who_left_leaves_no_dead_connection(fleet: Fleet) -> None:
    """Who waits for less than the store does is rid of a dead connection as well."""
    server = fleet["rabbitmq310"]
    [slot] = past_slots(1)
    with Proxy(server.port) as proxy:
        backend = RabbitMQBackend(server.url_at(proxy.port), namespace=new_namespace())
        async with linked(backend) as link:
            proxy.strand()
            with pytest.raises(TimeoutError):
                await link._bridge.call(  # noqa: SLF001  with another bound
                    link.store.history, JOB, 1, bound=0.5
                )
            with anyio.fail_after(SOON):
                assert await wins(link, slot)


async def test_outage_is_not_logged_by_the_drivers(
    fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    """That the server is away is told by errors, not by a driver's log lines."""
    server = fleet["rabbitmq310"]
    [slot] = past_slots(1)
    with Proxy(server.port) as proxy:
        backend = RabbitMQBackend(server.url_at(proxy.port), namespace=new_namespace())
        async with linked(backend) as link:
            proxy.refuse()
            for _ in range(3):
                with pytest.raises(ConnectionError):
                    await wins(link, slot)
            proxy.heal()
            with anyio.fail_after(SOON):
                assert await wins(link, slot)
    names = {record.name.partition(".")[0] for record in caplog.records}
    assert not names & {"aio_pika", "aiormq"}
