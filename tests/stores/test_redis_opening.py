"""Which servers are taken, what is warned of, and how a server may be named."""

import logging
from collections.abc import Generator
from pathlib import Path

import pytest

from anarchon.backends import backend_from
from anarchon.backends.redis import RedisBackend
from anarchon.backends.redis.server import Server
from anarchon.backends.redis.strategy import Strategy
from anarchon.errors import BackendTooOld, BackendUnavailable, InvalidOption
from anarchon.protocol import Won
from anarchon.testing.conformance.probe import linked
from tests.servers.fleet import Fleet
from tests.servers.redis import Redis
from tests.stores.claims import claim_of, past_slots

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

PASSWORD = "hard/to:guess@all"


async def check_claims(backend: RedisBackend) -> None:
    """Win a claim on this store."""
    [slot] = past_slots(1)
    async with linked(backend) as link:
        claim = claim_of("sync", slot, f"token-{slot}", "A")
        assert isinstance(await link.call(link.store.claim, claim), Won)


async def check_opens(backend: RedisBackend) -> None:
    """Open and close this store."""
    async with linked(backend) as link:
        await link.call(link.store.time)


@pytest.fixture(scope="module")
def own(fleet: Fleet) -> Generator[Redis]:
    """Give a server with a password, for this file alone."""
    with fleet.fresh("redis7", password=PASSWORD) as server:
        assert isinstance(server, Redis)
        yield server


# --- settings -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "strategy", "warns"),
    [
        ("noeviction", "lease", False),
        ("allkeys-lru", "lease", True),
        ("allkeys-random", "stream-id", True),
        ("volatile-ttl", "script", True),
        ("volatile-ttl", "lease", False),
    ],
)
async def test_eviction_is_warned_of(
    own: Redis,
    caplog: pytest.LogCaptureFixture,
    policy: str,
    strategy: str,
    warns: bool,
) -> None:
    """A server that may drop the store's keys is named at start, with its policy."""
    with own.client() as client:
        client.config_set("maxmemory-policy", policy)
    with caplog.at_level(logging.WARNING, "anarchon"):
        await check_opens(RedisBackend(own.url, strategy))
    told = [record.getMessage() for record in caplog.records]
    assert warns == any(policy in text for text in told)
    assert PASSWORD not in caplog.text


async def test_replica_is_refused(fleet: Fleet, own: Redis) -> None:
    """A server that can't be written to is no store, and the error says why."""
    replica = fleet.fresh("redis7")
    assert isinstance(replica, Redis)
    with replica.replica_of(own), pytest.raises(BackendUnavailable, match="replica"):
        await check_opens(RedisBackend(replica.url))


async def test_wrong_password_is_told_without_it(own: Redis) -> None:
    """Who isn't let in hears that, and no password is shown."""
    url = own.url.replace("guess", "forget")
    with pytest.raises(BackendUnavailable, match="password") as caught:
        await check_opens(RedisBackend(url))
    assert "forget" not in str(caught.value)


async def test_missing_password_is_told(own: Redis) -> None:
    """Who brings no password hears that one is needed."""
    with pytest.raises(BackendUnavailable, match=r"(?i)auth"):
        await check_opens(RedisBackend(f"redis://{own.host}:{own.port}"))


# --- versions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found"), [("redis7", "Redis 7.0"), ("valkey9", "Valkey 9.1")]
)
async def test_server_without_idempotent_entries_is_too_old(
    fleet: Fleet, name: str, found: str
) -> None:
    """The error names the version that was found and the one that is needed."""
    with pytest.raises(BackendTooOld, match=rf"{found}.*needs Redis 8\.6"):
        await check_opens(RedisBackend(fleet[name].url, "idmp"))


@pytest.mark.parametrize(
    ("info", "told"),
    [
        ({"redis_version": "6.0.16"}, r"Redis 6\.0\.16.*needs Redis 6\.2"),
        ({"redis_version": "7.2.4", "valkey_version": "7.0.1"}, r"Valkey 7\.0\.1"),
        ({}, "Redis of no known version"),
    ],
)
def test_old_server_is_refused(info: dict[str, str], told: str) -> None:
    """A server that lacks a command that scripts use isn't tried."""
    server = Server(info=info, address="redis://here", alone=True)
    with pytest.raises(BackendTooOld, match=told):
        server.check(Strategy.LEASE)


# --- URLs -----------------------------------------------------------------------------


async def test_password_and_database_are_of_the_url(own: Redis) -> None:
    """User, password and database go to the driver as they are."""
    url = own.url.replace("redis://:", "redis://default:")
    await check_claims(RedisBackend(f"{url}/3", namespace="of-url"))
    with own.client() as client:
        client.select(3)
        assert 2 == len(client.keys("of-url:{sync}:*"))


async def test_encrypted_connection_is_asked_for_by_its_scheme(fleet: Fleet) -> None:
    """``rediss://`` is TLS, with the authority that the URL names."""
    with fleet.fresh("redis7", tls=True) as server:
        await check_claims(RedisBackend(server.url))
        with pytest.raises(BackendUnavailable, match="can't be used"):
            await check_claims(RedisBackend(server.url.partition("?")[0]))


async def test_socket_file_is_a_server(fleet: Fleet, tmp_path: Path) -> None:
    """``unix://`` names a server of the same machine by its socket."""
    socket = tmp_path / "socket"
    with fleet.fresh("redis7", settings={"unixsocket": str(socket)}):
        await check_claims(RedisBackend(f"unix://{socket}"))


async def test_valkey_has_a_scheme_of_its_own(fleet: Fleet) -> None:
    """``valkey://`` is spoken to as Redis is."""
    url = fleet["valkey9"].url.replace("redis://", "valkey://")
    backend = backend_from(f"{url}?namespace=by-scheme&strategy=stream-id")
    assert isinstance(backend, RedisBackend)
    await check_claims(backend)


def test_options_of_a_url_are_read() -> None:
    """Strategy and namespace are anarchon's, all others the driver's."""
    url = "redis://:secret@host:7000/2?strategy=script&namespace=shop&socket_timeout=2"
    backend = RedisBackend.from_url(url)
    assert ("redis (script)", False, 86_400.0) == (
        backend.name,
        backend.leases,
        backend.remembers,
    )
    assert (
        "RedisBackend('redis://***@host:7000/2', namespace='shop', strategy='script')"
    ) == repr(backend)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://host?strategy=redlock", "'lease', 'script'.*'redlock'"),
        ("redis://host?namespace=a:b", "namespace"),
        ("http://host", "redis://, rediss://, valkey://"),
        ("host:6379", "redis://, rediss://, valkey://"),
    ],
)
def test_bad_url_is_refused(url: str, told: str) -> None:
    """The error names the value and what is allowed."""
    with pytest.raises(InvalidOption, match=told):
        RedisBackend.from_url(url)


@pytest.mark.parametrize("option", ["socket_timeout=soon", "colour=red"])
async def test_option_that_the_driver_refuses_is_told(option: str) -> None:
    """The error names the option, and shows no password."""
    backend = RedisBackend(f"redis://:secret@127.0.0.1:1?{option}")
    name = option.partition("=")[0]
    with pytest.raises(BackendUnavailable, match=name) as caught:
        await check_opens(backend)
    assert "secret" not in str(caught.value)
