"""A NATS server that goes away, stands still, or is cut off in silence."""

import time

import anyio
import anyio.to_thread
import pytest

from anarchon.backends.nats import NatsBackend
from anarchon.backends.nats.connection import ANSWERS_WITHIN
from anarchon.connecting import connected
from anarchon.errors import BackendUnavailable
from anarchon.protocol import Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.ports import free_port
from tests.servers.proxy import Proxy
from tests.servers.tls import certificates
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers, pytest.mark.timeout(90)]

JOB = "job"
PATIENCE = 20.0
SOON = 2.0


async def claim(link: Link, slot: int, token: str = "a") -> object:
    """Claim a slot; return the answer, or the error that stands for none."""
    try:
        return await link.call(link.store.claim, claim_of(JOB, slot, token, "A"))
    except Exception as error:  # noqa: BLE001  any failure means "unknown"
        return error


async def until_won(link: Link, slot: int) -> None:
    """Claim a slot until there is an answer, and that it is won."""
    with anyio.fail_after(PATIENCE):
        while isinstance(reply := await claim(link, slot), Exception):
            await anyio.sleep(0.1)
    assert isinstance(reply, Won)


async def test_lost_connection_ends_what_waits_for_it(fleet: Fleet) -> None:
    """A claim under way is known to be without an answer as soon as it is."""
    [slot] = past_slots(1)
    url = fleet["nats215"].url_at
    with Proxy(fleet["nats215"].port) as proxy:
        backend = NatsBackend(url(proxy.port), namespace=new_namespace())
        async with linked(backend) as link:
            proxy.drop_replies()
            replies: list[object] = []

            async def ask() -> None:
                replies.append(await claim(link, slot))

            begun = time.monotonic()
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(ask)
                await anyio.sleep(0.2)
                proxy.heal()
            assert {"NoAnswer"} == {type(reply).__name__ for reply in replies}
            assert SOON > time.monotonic() - begun
            await until_won(link, slot)


async def test_restart_is_survived(fleet: Fleet) -> None:
    """The first call after a restart is answered; those before fail at once."""
    first, second = past_slots(2)
    with fleet.fresh("nats215") as server:
        async with linked(NatsBackend(server.url, namespace=new_namespace())) as link:
            await until_won(link, first)
            await anyio.to_thread.run_sync(server.kill)
            with anyio.fail_after(SOON):
                assert isinstance(await claim(link, second), Exception)
            await anyio.to_thread.run_sync(server.start)
            assert isinstance(await claim(link, second), Won)
            assert isinstance(await claim(link, first, "b"), Running)


async def test_half_open_connection_is_dropped(fleet: Fleet) -> None:
    """A call that isn't answered costs its own time, and not that of the next."""
    first, second = past_slots(2)
    server = fleet["nats215"]
    with Proxy(server.port) as proxy:
        backend = NatsBackend(server.url_at(proxy.port), namespace=new_namespace())
        async with linked(backend) as link:
            await until_won(link, first)
            proxy.strand()
            with anyio.fail_after(ANSWERS_WITHIN + SOON):
                assert isinstance(await claim(link, second), Exception)
            with anyio.fail_after(SOON):
                assert isinstance(await claim(link, second), Won)


async def test_connection_is_dropped_though_the_call_was_cut(fleet: Fleet) -> None:
    """A caller that waits for less than the store does is freed of a dead one, too."""
    server = fleet["nats215"]
    with Proxy(server.port) as proxy:
        backend = NatsBackend(server.url_at(proxy.port), namespace=new_namespace())
        async with connected(backend) as (bridge, store):
            proxy.strand()
            with pytest.raises(TimeoutError):
                await bridge.call(store.history, JOB, 1, bound=0.5)
            with anyio.fail_after(SOON):
                assert [] == await bridge.call(store.history, JOB, 1)


@pytest.mark.parametrize("tls", [False, True], ids=["clear", "tls"])
async def test_frozen_server_delays_no_closing(fleet: Fleet, tls: bool) -> None:
    """A store is closed within two seconds, whatever its server does."""
    [slot] = past_slots(1)
    with fleet.fresh("nats215", tls=tls) as server:
        trust = f"?tls_ca={certificates().authority}" if tls else ""
        async with linked(NatsBackend(f"{server.url}{trust}")) as link:
            await until_won(link, slot)
            server.freeze()
            begun = time.monotonic()
        assert SOON > time.monotonic() - begun
        server.thaw()


async def test_frozen_server_is_no_open_store(fleet: Fleet) -> None:
    """Opening a store whose server accepts connections and says nothing fails."""
    with fleet.fresh("nats215") as server:
        server.freeze()
        with anyio.fail_after(ANSWERS_WITHIN + SOON), pytest.raises(BackendUnavailable):
            async with linked(NatsBackend(server.url)):
                pass
        server.thaw()


async def test_next_server_is_used_when_one_is_away(fleet: Fleet) -> None:
    """Of several hosts in the URL those that are down are passed over."""
    server = fleet["nats215"]
    down = [f"127.0.0.1:{free_port()}" for _ in range(3)]
    url = f"{server.url},{','.join(down)}"
    [slot] = past_slots(1)
    async with linked(NatsBackend(url, namespace=new_namespace())) as link:
        await until_won(link, slot)
