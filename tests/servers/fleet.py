"""All kinds of servers, by name.

Decides when each is started: those that tests share once, when one is first asked for;
those that a test may break, for that test alone.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from tests.servers import nats, pgbouncer, postgres, rabbitmq, redis
from tests.servers.options import Options
from tests.servers.server import Server

KINDS: Mapping[str, Callable[[str, Options], Server]] = {
    **dict.fromkeys(postgres.PROGRAMS, postgres.Postgres),
    "pgbouncer": pgbouncer.PgBouncer,
    **dict.fromkeys(redis.PROGRAMS, redis.Redis),
    **dict.fromkeys(nats.PROGRAMS, nats.Nats),
    "rabbitmq310": rabbitmq.RabbitMQ,
}


class Fleet:
    """The servers of a test session; leaving the block ends all of them."""

    def __init__(self) -> None:
        self._shared: dict[str, Server] = {}
        self._stack = ExitStack()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def __getitem__(self, name: str) -> Server:
        """Return the one that all share; skip the test if it can't be had."""
        with self._lock:
            if name not in self._shared:
                self._shared[name] = self._stack.enter_context(self.fresh(name))
            return self._shared[name]

    def fresh(
        self,
        name: str,
        *,
        password: str | None = None,
        tls: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> Server:
        """Return one of one's own; entering it starts it, leaving it ends it."""
        if name not in KINDS:
            raise ValueError(f"no server {name!r}; there are {', '.join(KINDS)}")
        options = Options(password=password, tls=tls, settings=settings or {})
        return KINDS[name](name, options)
