"""The way of scripts to the server: each is one request and one reply.

Decides what is sent again, and how an error of the server reads. Must not know what the
scripts do.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError

from anarchon.backends.records import Unreadable
from anarchon.backends.redis.line import Line
from anarchon.backends.redis.scripts import Script
from anarchon.backends.redis.server import info_from

# json.loads would look for an encoding, and for white space
_from_json = json.JSONDecoder().raw_decode
_UNREADABLE = re.compile(r"UNREADABLE (\S+) (.*)")


class Lane:
    """Runs scripts, ``width`` of them at a time; the others wait for their turn.

    So no burst asks for more connections than there may be, and what goes another way
    isn't held up.
    """

    def __init__(self, another: Callable[[], Line], width: int) -> None:
        self.width = width
        self._another = another
        self._turn = asyncio.Semaphore(width)
        self._idle: list[Line] = []

    async def ask(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> Mapping[str, Any]:
        """Run a script that answers in JSON; cancelled, it was run or not.

        Raises:
            Unreadable: what is stored under one of the keys makes no sense.
            RedisError: the outcome is unknown.
        """
        reply = await self._run(script, keys, asked)
        text = reply.decode() if isinstance(reply, bytes) else cast("str", reply)
        fields: Mapping[str, Any] = _from_json(text)[0]
        return fields

    async def read(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> Sequence[Any]:
        """Run a script that answers with stored things as they are.

        Raises:
            Unreadable: what is stored under one of the keys makes no sense.
            RedisError: there was no answer.
        """
        return cast("Sequence[Any]", await self._run(script, keys, asked))

    async def info(self) -> Mapping[str, str]:
        """Return what the server tells of itself; of a cluster, one of its nodes."""
        return info_from(await self._use(lambda line: line.send("INFO")))

    async def _run(self, script: Script, keys: Sequence[str], asked: str) -> object:
        try:
            return await self._use(lambda line: _send_twice(line, script, keys, asked))
        except ResponseError as error:
            raise _unreadable(error, keys) or error from error

    async def _use(self, call: Callable[[Line], Awaitable[object]]) -> object:
        async with self._turn:
            line = self._idle.pop() if self._idle else self._another()
            try:
                return await call(line)
            finally:
                self._idle.append(line)


async def _send_twice(
    line: Line, script: Script, keys: Sequence[str], asked: str
) -> object:
    try:
        return await _send(line, script, keys, asked)
    except (Disconnected, ResponseError) as error:
        if not _leads_elsewhere(error):
            raise
    await line.reset()
    return await _send(line, script, keys, asked)


async def _send(line: Line, script: Script, keys: Sequence[str], asked: str) -> object:
    try:
        return await line.send("EVALSHA", script.sha, len(keys), *keys, asked)
    except NoScriptError:
        # so it did not run
        return await line.send("EVAL", script.text, len(keys), *keys, asked)


def _leads_elsewhere(error: Exception) -> bool:
    """Whether the connection was dead, or leads to what was the master once."""
    if isinstance(error, Disconnected | ReadOnlyError):
        return True
    # Redis before 7 puts it into the text of a script's own error
    return "READONLY" in str(error)


def _unreadable(error: ResponseError, keys: Sequence[str]) -> Unreadable | None:
    text = str(error)
    if found := _UNREADABLE.search(text):
        return Unreadable(found[1], found[2])
    if "WRONGTYPE" in text:
        return Unreadable(" or ".join(keys), "it holds another kind of value")
    return None
