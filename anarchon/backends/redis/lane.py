"""The way of scripts to the server: each is one request and one reply.

Decides what is sent again, and how an error of the server reads. Must not know what the
scripts do.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ResponseError

from anarchon.backends.records import Unreadable
from anarchon.backends.redis.client import Client, command_of, drop_idle
from anarchon.backends.redis.scripts import Script

_UNREADABLE = re.compile(r"UNREADABLE (\S+) (.*)")


class Lane:
    """Runs scripts, ``width`` of them at a time; the others wait for their turn.

    So no burst asks a pool for more connections than it has, and what goes another way
    isn't held up.
    """

    def __init__(self, client: Client, width: int) -> None:
        self.width = width
        self._client = client
        self._command = command_of(client)
        self._turn = asyncio.Semaphore(width)

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

    async def _run(self, script: Script, keys: Sequence[str], asked: str) -> object:
        async with self._turn:
            try:
                return await self._send_twice(script, keys, asked)
            except ResponseError as error:
                raise _unreadable(error, keys) or error from error

    async def _send_twice(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> object:
        try:
            return await self._send(script, keys, asked)
        except (Disconnected, ResponseError) as error:
            if not _leads_elsewhere(error):
                raise
        # so may the others that weren't used since
        await drop_idle(self._client)
        return await self._send(script, keys, asked)

    async def _send(self, script: Script, keys: Sequence[str], asked: str) -> object:
        try:
            return await self._command("EVALSHA", script.sha, len(keys), *keys, asked)
        except NoScriptError:
            # so it did not run
            return await self._command("EVAL", script.text, len(keys), *keys, asked)


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
