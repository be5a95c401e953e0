"""From what the user passes as a backend, a URL or an object, to the backend.

Decides which scheme means which backend. Must not know what a backend does with the
rest of its URL, and loads the code of no other backend than the one asked for.
"""

import re
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from anarchon.errors import InvalidOption
from anarchon.protocol import Backend

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "anarchon.backends"

# These are entry points too; the table serves where the metadata isn't installed.
_BUILT_IN = {
    "amqp": "anarchon.backends.rabbitmq:RabbitMQBackend.from_url",
    "amqps": "anarchon.backends.rabbitmq:RabbitMQBackend.from_url",
    "memory": "anarchon.backends.memory:MemoryBackend.from_url",
    "nats": "anarchon.backends.nats:NatsBackend.from_url",
    "postgres": "anarchon.backends.postgres:PostgresBackend.from_url",
    "postgresql": "anarchon.backends.postgres:PostgresBackend.from_url",
    "redis": "anarchon.backends.redis:RedisBackend.from_url",
    "rediss": "anarchon.backends.redis:RedisBackend.from_url",
    "sqlite": "anarchon.backends.sqlite:SqliteBackend.from_url",
    "tls": "anarchon.backends.nats:NatsBackend.from_url",
    "valkey": "anarchon.backends.redis:RedisBackend.from_url",
}

FromUrl = Callable[[str], Backend]


def backend_from(url_or_backend: str | Backend) -> Backend:
    """Return the backend that a URL describes, or the backend object itself.

    Other packages add a scheme by an entry point of the group ``anarchon.backends``,
    named for the scheme, that loads a function from the URL to a backend.

    Raises:
        InvalidOption: neither of both, an unknown scheme, or a driver that is missing.
    """
    if isinstance(url_or_backend, str):
        return _from_url(url_or_backend)
    if isinstance(url_or_backend, type) or not _is_backend(url_or_backend):
        raise InvalidOption(
            f"a backend is a URL or a backend object, not {url_or_backend!r}"
        )
    return url_or_backend


def _is_backend(candidate: object) -> bool:
    return isinstance(candidate, Backend)


def _from_url(url: str) -> Backend:
    scheme, separator, _ = url.partition("://")
    if not separator:
        raise InvalidOption(
            f"a backend's URL starts with a scheme, one of {_known()}: "
            f"{_without_secrets(url)!r} has none"
        )
    backend = _loaded(scheme.lower())(url)
    if not _is_backend(backend):
        raise InvalidOption(f"what is registered for {scheme}:// made no backend")
    return backend


def _loaded(scheme: str) -> FromUrl:
    if target := _BUILT_IN.get(scheme):
        from_url: FromUrl = resolve_name(target)
        return from_url
    for entry in _entries():
        if entry.name == scheme:
            return _entry_loaded(entry)
    raise InvalidOption(f"no backend for {scheme}://; known are {_known()}")


def _entries() -> Iterable["EntryPoint"]:
    # costs more to import than most of the package, and most need it never
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _entry_loaded(entry: "EntryPoint") -> FromUrl:
    try:
        from_url: FromUrl = entry.load()
    except (ImportError, AttributeError) as error:
        raise InvalidOption(
            f"the backend for {entry.name}:// can't be loaded: {error}"
        ) from error
    return from_url


def _known() -> str:
    names = {*_BUILT_IN, *(entry.name for entry in _entries())}
    return ", ".join(f"{name}://" for name in sorted(names))


def _without_secrets(url: str) -> str:
    return re.sub(r"[^/]*@", "***@", url.partition("?")[0])
