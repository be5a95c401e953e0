"""From the text in a setup to the store of an instance.

A URL stands for itself. Redis behind Sentinels, and a Redis Cluster, are had by a
client only: they get schemes of their own here.
"""

from urllib.parse import SplitResult, parse_qsl, urlsplit

from anarchon.protocol import Backend


def backend_of(store: str) -> str | Backend:
    """Return what ``open_scheduler`` takes.

    ``sentinels://host:port,host:port/service`` and ``nodes://host:port`` take the
    backend's own options as a query, as URLs of Redis do.
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

    from anarchon.backends.redis import RedisBackend

    addresses = [_address(place) for place in parts.netloc.split(",")]
    service = parts.path.strip("/")
    options = dict(parse_qsl(parts.query))
    return RedisBackend(lambda: Sentinel(addresses).master_for(service), **options)


def _of_nodes(parts: SplitResult) -> Backend:
    from redis.asyncio import RedisCluster

    from anarchon.backends.redis import RedisBackend

    host, port = _address(parts.netloc)
    options = dict(parse_qsl(parts.query))
    return RedisBackend(lambda: RedisCluster(host=host, port=port), **options)


def _address(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    return host, int(port)
