"""What a server must be before a store is trusted to it.

Decides which versions and settings will do. Must not know how it is asked.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from anarchon.backends.redis.strategy import Strategy
from anarchon.errors import BackendTooOld, BackendUnavailable

logger: logging.Logger = logging.getLogger("anarchon")

Version = tuple[int, ...]

REDIS: Version = (6, 2)
REDIS_IDMP: Version = (8, 6)
VALKEY: Version = (7, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What a server tells of itself. ``alone`` says that it is no node of a cluster."""

    info: Mapping[str, str]
    address: str
    alone: bool

    def check(self, strategy: Strategy) -> None:
        """Refuse a server that won't do, and warn of one that may forget.

        Raises:
            BackendTooOld: it lacks what the strategy needs.
            BackendUnavailable: it is a replica.
        """
        self._check_version(strategy)
        if self.alone and self.info.get("role") == "slave":
            raise BackendUnavailable(
                f"{self.address} is a replica, which can't be written to; "
                "the store needs its master"
            )
        self._warn_of_eviction(strategy)

    def _check_version(self, strategy: Strategy) -> None:
        if "valkey_version" in self.info:
            product, found, needed = "Valkey", self.info["valkey_version"], VALKEY
        else:
            found = self.info.get("redis_version", "of no known version")
            product, needed = "Redis", REDIS
        if strategy is Strategy.IDMP:
            if product == "Valkey":
                raise BackendTooOld(
                    f"{self.address} is Valkey {found}; the strategy 'idmp' needs "
                    f"Redis {_text(REDIS_IDMP)} or newer"
                )
            needed = REDIS_IDMP
        if _version(found) < needed:
            raise BackendTooOld(
                f"{self.address} is {product} {found}; the strategy {str(strategy)!r} "
                f"needs {product} {_text(needed)} or newer"
            )

    def _warn_of_eviction(self, strategy: Strategy) -> None:
        policy = self.info.get("maxmemory_policy", "noeviction")
        # of all keys, only these have a time to live
        perishable = strategy is Strategy.SCRIPT and policy.startswith("volatile-")
        if perishable or policy.startswith("allkeys-"):
            logger.warning(
                "%s may drop claims and leases when its memory is full, since its "
                "maxmemory-policy is %s: set it to noeviction",
                self.address,
                policy,
            )


def info_from(reply: object) -> Mapping[str, str]:
    """Return a server's INFO, which a client may have read already."""
    if isinstance(reply, Mapping):
        read = cast("Mapping[str, object]", reply)
        return {name: str(value) for name, value in read.items()}
    assert isinstance(reply, str | bytes), reply
    text = reply if isinstance(reply, str) else reply.decode(errors="replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value for name, colon, value in pairs if colon}


def _version(text: str) -> Version:
    return tuple(map(int, re.findall(r"\d+", text)))


def _text(version: Version) -> str:
    return ".".join(map(str, version))
