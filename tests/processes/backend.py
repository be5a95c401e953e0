"""From the text in a setup to the store of an instance.

A URL stands for itself. Redis behind Sentinels, and a Redis Cluster, are had by a
client only: they get schemes of their own here.
"""

from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, urlsplit

from anarchon.protocol import Backend

if TYPE_CHECKING:
    from collections.abc import Callable

    from redis.asyncio import Redis, RedisCluster


def backend_of(store: str) -> str | Backend:
    """Return what ``open_scheduler`` takes.

    ``sentinels://host:port,host:port/service`` and ``nodes://host:port`` have the
    namespace in their query, and the strategy if it isn't the usual one.
    """
    parts = urlsplit(store)
    match parts.scheme:
        case "sentinels":
            return _behind_sentinels(parts)
        case "nodes":
            return _of_nodes(parts)
        case _:
            return store


def _behind_sentinels(parts: SplitResult) -> Backend:
    from redis.asyncio import Sentinel

    addresses = [_address(place) for place in parts.netloc.split(",")]

    def master() -> "Redis":
        sentinel = Sentinel(addresses)  # type: ignore[no-untyped-call]  # by redis-py
        client: Redis = sentinel.master_for(parts.path.strip("/"))
        return client

    return _made_by(master, parts)


def _of_nodes(parts: SplitResult) -> Backend:
    from redis.asyncio import RedisCluster

    host, port = _address(parts.netloc)
    return _made_by(lambda: RedisCluster(host=host, port=port), parts)


def _made_by(make: "Callable[[], Redis | RedisCluster]", parts: SplitResult) -> Backend:
    from anarchon.backends.redis import RedisBackend

    options = dict(parse_qsl(parts.query))
    strategy = options.get("strategy", "lease")
    return RedisBackend(make, strategy, namespace=options["namespace"])


def _address(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    return host, int(port)
