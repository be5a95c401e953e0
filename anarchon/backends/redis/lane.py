"""The way of scripts to the server: each is one request and one reply.

Decides what is sent again, and how an error of the server reads. Must not know what the
scripts do.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVarTuple, cast

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ResponseError

from anarchon.backends.records import Unreadable
from anarchon.backends.redis.client import Client
from anarchon.backends.redis.scripts import Script

Ts = TypeVarTuple("Ts")

_UNREADABLE = re.compile(r"UNREADABLE (\S+) (.*)")


class Lane:
    """Runs scripts, ``width`` of them at a time; the others wait for their turn.

    So no burst asks for more connections than there may be, and what goes another way
    isn't held up.
    """

    def __init__(self, another: Callable[[], Client], width: int) -> None:
        self.width = width
        self._another = another
        self._turn = asyncio.Semaphore(width)
        self._idle: list[Client] = []

    async def ask(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> Mapping[str, Any]:
        """Run a script that answers in JSON; cancelled, it was run or not.

        Raises:
            Unreadable: what is stored under one of the keys makes no sense.
            RedisError: the outcome is unknown.
        """
        reply = await self._run(script, keys, asked)
        return cast("Mapping[str, Any]", json.loads(cast("str | bytes", reply)))

    async def read(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> Sequence[Any]:
        """Run a script that answers with stored things as they are.

        Raises:
            Unreadable: what is stored under one of the keys makes no sense.
            RedisError: there was no answer.
        """
        return cast("Sequence[Any]", await self._run(script, keys, asked))

    async def info(self) -> Mapping[str, object]:
        """Return what the server tells of itself; of a cluster, one of its nodes."""
        return cast("Mapping[str, object]", await self._use(_info))

    async def _run(self, script: Script, keys: Sequence[str], asked: str) -> object:
        try:
            return await self._use(_send_twice, script, keys, asked)
        except ResponseError as error:
            raise _unreadable(error, keys) or error from error

    async def _use(
        self, call: Callable[[Client, *Ts], Awaitable[object]], *args: *Ts
    ) -> object:
        async with self._turn:
            client = self._idle.pop() if self._idle else self._another()
            try:
                return await call(client, *args)
            finally:
                self._idle.append(client)


async def _info(client: Client) -> object:
    return await _command_of(client)("INFO")


async def _send_twice(
    client: Client, script: Script, keys: Sequence[str], asked: str
) -> object:
    try:
        return await _send(client, script, keys, asked)
    except (Disconnected, ResponseError) as error:
        if not _leads_elsewhere(error):
            raise
    await _drop_idle(client)
    return await _send(client, script, keys, asked)


async def _send(
    client: Client, script: Script, keys: Sequence[str], asked: str
) -> object:
    send = _command_of(client)
    try:
        return await send("EVALSHA", script.sha, len(keys), *keys, asked)
    except NoScriptError:
        # so it did not run
        return await send("EVAL", script.text, len(keys), *keys, asked)


def _command_of(client: Client) -> Callable[..., Awaitable[object]]:
    """Return how the client sends a command; its own types don't tell."""
    untyped: Any = client
    return cast("Callable[..., Awaitable[object]]", untyped.execute_command)


async def _drop_idle(client: Client) -> None:  # noqa: ASYNC910  a cluster's does it
    """Close the connections that nobody uses now, which may be as dead as this one."""
    if isinstance(client, Redis):
        own = client.single_connection_client
        await client.connection_pool.disconnect(inuse_connections=own)


def _leads_elsewhere(error: Exception) -> bool:
    """Whether the connection was dead, or leads to what was the master once."""
    return isinstance(error, Disconnected) or "READONLY" in str(error)


def _unreadable(error: ResponseError, keys: Sequence[str]) -> Unreadable | None:
    text = str(error)
    if found := _UNREADABLE.search(text):
        return Unreadable(found[1], found[2])
    if "WRONGTYPE" in text:
        return Unreadable(" or ".join(keys), "it holds another kind of value")
    return None
