"""Every scheme leads to its backend, at the top level, without a server."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points

import pytest

import anarchon
from anarchon import backends
from anarchon.backends import backend_from

SCHEMES = {
    "amqp://h": anarchon.RabbitMQBackend,
    "amqps://h": anarchon.RabbitMQBackend,
    "memory://": anarchon.MemoryBackend,
    "nats://h": anarchon.NatsBackend,
    "postgres://h/db": anarchon.PostgresBackend,
    "postgresql://h/db": anarchon.PostgresBackend,
    "redis://h": anarchon.RedisBackend,
    "rediss://h": anarchon.RedisBackend,
    "redis://h?strategy=idmp": anarchon.RedisBackend,
    "sqlite:///jobs.db": anarchon.SqliteBackend,
    "tls://h": anarchon.NatsBackend,
    "valkey://h": anarchon.RedisBackend,
}


@pytest.mark.parametrize(("url", "kind"), SCHEMES.items())
def test_scheme_is_of_its_backend(url: str, kind: type) -> None:
    """A backend of a URL is a description: nothing is connected to."""
    assert type(backend_from(url)) is kind


def test_entry_points_and_table_agree() -> None:
    """What is found without the package's metadata is what the metadata has."""
    registered = {
        entry.name: entry.value
        for entry in entry_points(group=backends.GROUP)
        if entry.dist is not None and entry.dist.name == "anarchon"
    }
    assert registered == backends._BUILT_IN  # noqa: SLF001  the table itself


@pytest.mark.parametrize(
    "kind",
    [
        anarchon.RedisBackend,
        anarchon.PostgresBackend,
        anarchon.RabbitMQBackend,
        anarchon.NatsBackend,
    ],
)
def test_what_is_no_client_is_not_shown(kind: Callable[[object], object]) -> None:
    """A URL of another type, or one that a function has, may hold a password."""
    secret = "redis://tom:s3cret@host"
    assert "s3cret" not in repr(kind(partial(print, secret)))
    for wrong in (secret.encode(), [secret], {"url": secret}):
        with pytest.raises(anarchon.InvalidOption) as caught:
            kind(wrong)
        assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "url"),
    [
        (anarchon.RedisBackend, "redis://h?strategy=idmp"),
        (anarchon.PostgresBackend, "postgresql://h/db?namespace=mine"),
        (anarchon.RabbitMQBackend, "amqp://h?remember=1h"),
        (anarchon.NatsBackend, "nats://h?replicas=3"),
    ],
)
def test_options_in_the_url_of_a_constructor_are_refused(
    make: Callable[[str], object], url: str
) -> None:
    """They are arguments there; passed over in silence, they would split a cluster."""
    with pytest.raises(anarchon.InvalidOption):
        make(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://h?strategy=lucky",
        "postgresql://h/db?namespace=no+spaces",
        "nats://h?namespace=",
        "amqp://h?namespace=a.b",
        "amqp://h?namespce=billing",
        "nats://h?namespce=billing",
    ],
)
def test_odd_options_are_refused(url: str) -> None:
    """An option that can't be had is an error that names its value."""
    with pytest.raises(anarchon.InvalidOption):
        backend_from(url)
