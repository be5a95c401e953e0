"""The PostgreSQL backend: a schema of its own in a database, for any number of hosts.

Decides what may be configured. Loads no driver: that is left to ``open``.
"""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeAlias

from anarchon.backends.address import Address, address_alone, need_driver
from anarchon.backends.clock import StoreClock, milliseconds
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption
from anarchon.protocol import LeaseStore
from anarchon.rules.names import check_namespace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from asyncpg import Pool  # type: ignore[import-untyped]  # pyright: ignore[reportMissingTypeStubs]

    from anarchon.backends.postgres.opening import Where

    Factory: TypeAlias = Callable[[], Pool | Awaitable[Pool]]

__all__ = ["PostgresBackend"]

_SCHEMES = ("postgresql", "postgres")

_OWN = ("namespace",)

# what the server keeps of an identifier
_LONGEST = 63


class PostgresBackend:
    """A store in a PostgreSQL database, in the schema that is called ``namespace``.

    The first argument is a URL, ``postgresql://user:password@host/database``, with all
    that asyncpg understands in one; or an ``asyncpg.Pool``, which stays open; or a
    function that makes such a pool, in the loop that will use it, for the store to
    close. A pool of one connection makes heartbeats wait for claims. ``bridge`` is the
    one behind which a pool lives. ``clock`` is for tests: without it, the server's
    clock alone counts.

    Raises:
        InvalidOption: none of these, a namespace that can't be a schema, or asyncpg
            isn't installed.
    """

    name = "postgresql"
    leases = True
    needs_asyncio = True
    remembers = None

    def __init__(
        self,
        url_or_client: "str | Pool | Factory",
        *,
        namespace: str = "anarchon",
        bridge: Bridge | None = None,
        clock: StoreClock | None = None,
    ) -> None:
        need_driver("asyncpg", "postgres", "PostgreSQL")
        self._where = _checked(url_or_client)
        self.namespace: str = _checked_namespace(namespace)
        self.bridge = bridge
        self._clock = clock

    @staticmethod
    def from_url(url: str) -> "PostgresBackend":
        """Return the store of a URL; its option ``?namespace=`` is ours.

        Raises:
            InvalidOption: it isn't a URL of PostgreSQL, or names a bad namespace.
        """
        address = Address(url, own=_OWN)
        namespace = address.options.get("namespace", "anarchon")
        return PostgresBackend(address.url, namespace=namespace)

    def open(self) -> AbstractAsyncContextManager[LeaseStore]:
        """Connect, set the schema up, yield the live store, and close it.

        Raises:
            BackendUnavailable: the server can't be reached or used.
            BackendTooOld: the server is, or the schema is newer than this.
            InvalidOption: the pool lives in another loop.
        """
        from anarchon.backends.postgres.opening import open_store

        return open_store(self._where, self.bridge, self.namespace, self._given)

    def _given(self) -> int | None:
        return None if self._clock is None else milliseconds(self._clock.time())

    def __repr__(self) -> str:
        where = self._where
        shown = (
            repr(where) if isinstance(where, Address) else f"<{type(where).__name__}>"
        )
        return f"PostgresBackend({shown}, namespace={self.namespace!r})"


def _checked(url_or_client: object) -> "Where":
    if isinstance(url_or_client, str):
        return _checked_address(url_or_client)
    from anarchon.backends.postgres.driver import is_pool

    if is_pool(url_or_client) or callable(url_or_client):
        return url_or_client
    raise InvalidOption(
        "PostgresBackend takes a URL, an asyncpg.Pool or a function that makes one, "
        f"not a {type(url_or_client).__name__}"
    )


def _checked_address(url: str) -> Address:
    scheme = url.partition("://")[0]
    if scheme not in _SCHEMES:
        raise InvalidOption(
            "a URL of a PostgreSQL store is postgresql://user:password@host/database, "
            "with ?namespace= if wanted"
        )
    return address_alone(url, _OWN)


def _checked_namespace(namespace: str) -> str:
    check_namespace(namespace)
    # two names that the server cuts to the same would be one store
    if len(namespace) > _LONGEST or namespace.startswith("pg_"):
        raise InvalidOption(
            f"a namespace in PostgreSQL names a schema: at most {_LONGEST} characters, "
            f"and not pg_ at its beginning, unlike {namespace!r}"
        )
    return namespace
