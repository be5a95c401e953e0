"""The Redis and Valkey backend, with four ways to claim.

Decides what may be configured. Loads no driver: that is left to ``open``.
"""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from anarchon.backends.address import Address, address_alone, need_driver
from anarchon.backends.clock import StoreClock
from anarchon.backends.redis.keys import Keys
from anarchon.backends.redis.strategy import Strategy, strategy_from
from anarchon.bridge import Bridge
from anarchon.errors import InvalidOption
from anarchon.protocol import ClaimStore
from anarchon.rules.names import check_namespace

if TYPE_CHECKING:
    from anarchon.backends.redis.client import Factory, Source
    from anarchon.backends.redis.line import Client

__all__ = ["RedisBackend"]

_OWN = ("namespace", "strategy")
_SCHEMES = ("redis", "rediss", "valkey", "unix")


class RedisBackend:
    """A store on a Redis or Valkey server, on its own, behind Sentinel or a cluster.

    ``url_or_client`` is a URL, an asyncio client of redis-py (``Redis``, also one that
    Sentinel gave out, or ``RedisCluster``), which stays open, or a function that makes
    such a client in the store's loop, which is closed with the store. In a Trio program
    a client comes with the ``bridge`` that it lives behind. ``strategy`` says how a
    slot is claimed: ``"lease"`` has all that anarchon can do; ``"script"``,
    ``"stream-id"`` and ``"idmp"`` only grant each slot once. All instances of a cluster
    use the same one. ``clock`` is for tests, in place of the server's.

    Raises:
        InvalidOption: neither of these, an unknown strategy, a bad namespace, or
            redis-py isn't installed.
    """

    needs_asyncio = True

    def __init__(
        self,
        url_or_client: "str | Client | Factory",
        strategy: str = Strategy.LEASE,
        *,
        namespace: str = "anarchon",
        bridge: Bridge | None = None,
        clock: StoreClock | None = None,
    ) -> None:
        need_driver("redis", "redis", "Redis")
        self.strategy: Strategy = strategy_from(strategy)
        self.namespace: str = check_namespace(namespace)
        self.bridge = bridge
        self.source: Source = _checked(url_or_client)
        self._clock = clock

    @staticmethod
    def from_url(url: str) -> "RedisBackend":
        """Return the store of a ``redis://``, ``rediss://`` or ``valkey://`` URL.

        Own options are ``?namespace=`` and ``?strategy=``; all others go to redis-py.

        Raises:
            InvalidOption: the URL can't be read, or an option has no such value.
        """
        options = Address(url, own=_OWN)
        return RedisBackend(
            options.url,
            strategy=options.options.get("strategy", Strategy.LEASE),
            namespace=options.options.get("namespace", "anarchon"),
        )

    @property
    def name(self) -> str:
        """What messages call it, with a strategy that isn't the usual one."""
        return "redis" if self.leases else f"redis ({self.strategy})"

    @property
    def leases(self) -> bool:
        """Whether the store keeps leases, as it does with the strategy ``"lease"``."""
        return self.strategy is Strategy.LEASE

    @property
    def remembers(self) -> float | None:
        """For how many seconds a claim is surely remembered; ``None``: for ever."""
        return self.strategy.remembers

    def open(self) -> AbstractAsyncContextManager[ClaimStore]:
        """Connect, look at the server, yield the live store, and close it.

        Raises:
            BackendUnavailable: the server can't be reached or used.
            BackendTooOld: it lacks what the strategy needs.
            InvalidOption: the client lives in another loop than the running one.
        """
        from anarchon.backends.redis.opening import open_store

        keys = Keys(self.namespace, self.strategy)
        return open_store(self.source, keys, self.bridge, self._clock)

    def __repr__(self) -> str:
        source = self.source
        shown = repr(source) if isinstance(source, Address) else type(source).__name__
        return (
            f"RedisBackend({shown}, namespace={self.namespace!r}, "
            f"strategy={str(self.strategy)!r})"
        )


def _checked(given: "str | Client | Factory") -> "Source":
    if isinstance(given, str):
        return _address(given)
    from redis.asyncio import Redis, RedisCluster

    if isinstance(given, Redis | RedisCluster) or callable(given):
        return given
    raise InvalidOption(
        "a Redis store is given by a URL, by a client of redis.asyncio (Redis or "
        f"RedisCluster) or by a function that makes one, not by a {type(given)}"
    )


def _address(url: str) -> Address:
    scheme, separator, rest = url.partition("://")
    if scheme.lower() not in _SCHEMES or not separator:
        known = ", ".join(f"{name}://" for name in _SCHEMES)
        raise InvalidOption(f"a URL of a Redis store starts with one of {known}")
    if scheme.lower() == "valkey":
        url = f"redis://{rest}"
    return address_alone(url, _OWN)
