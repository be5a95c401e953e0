"""The way of scripts to the server: each is one request and one reply.

Decides what is sent again, and how an error of the server reads. Must not know what the
scripts do.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError

from anarchon.backends.convoy import Convoy
from anarchon.backends.records import Unreadable
from anarchon.backends.redis.line import Line, Words
from anarchon.backends.redis.scripts import Script
from anarchon.backends.redis.server import info_from

# json.loads would look for an encoding, and for white space
_from_json = json.JSONDecoder().raw_decode
_UNREADABLE = re.compile(r"UNREADABLE (\S+) (.*)")


@dataclass(frozen=True, slots=True)
class Request:
    """A script to be run, the keys that it touches, and what it is told."""

    script: Script
    keys: Sequence[str]
    asked: str

    def by_name(self) -> Words:
        """Return the command that runs a script which the server knows already."""
        return "EVALSHA", self.script.sha, len(self.keys), *self.keys, self.asked

    def in_full(self) -> Words:
        """Return the command that brings the script along."""
        return "EVAL", self.script.text, len(self.keys), *self.keys, self.asked


class Lane:
    """Runs scripts, over at most ``width`` lines at a time; the others wait.

    So no burst asks for more connections than there may be, and what goes another way
    isn't held up. At most ``together`` scripts go over a line at once.
    """

    def __init__(
        self, another: Callable[[], Line], *, width: int, together: int
    ) -> None:
        self._another = another
        self._idle: list[Line] = []
        self._convoy: Convoy[Request, object] = Convoy(
            self._send, width=width, most=together
        )

    async def ask(
        self, script: Script, keys: Sequence[str], asked: str
    ) -> Mapping[str, Any]:
        """Run a script that answers in JSON; cancelled, it was run or not.

        Raises:
            Unreadable: what is stored under one of the keys makes no sense.
            RedisError: the outcome is unknown.
        """
        reply = await self._run(Request(script, keys, asked))
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
        return cast("Sequence[Any]", await self._run(Request(script, keys, asked)))

    async def info(self) -> Mapping[str, str]:
        """Return what the server tells of itself; of a cluster, one of its nodes.

        Raises:
            RedisError: it tells nothing.
        """
        with self._line() as line:
            (told,) = await line.send([("INFO",)])
        if isinstance(told, Exception):
            raise told
        return info_from(told)

    async def _run(self, request: Request) -> object:
        try:
            return await self._convoy.ask(request)
        except ResponseError as error:
            if unreadable := _unreadable(error, request.keys):
                raise unreadable from error
            raise

    async def _send(self, requests: Sequence[Request]) -> Sequence[object]:
        with self._line() as line:
            with suppress(Disconnected):
                replies = await _send(line, requests)
                if not any(map(_leads_elsewhere, replies)):
                    return replies
            await line.reset()
            return await _send(line, requests)

    @contextmanager
    def _line(self) -> Generator[Line]:
        line = self._idle.pop() if self._idle else self._another()
        try:
            yield line
        finally:
            self._idle.append(line)


async def _send(line: Line, requests: Sequence[Request]) -> Sequence[object]:
    replies = await line.send([request.by_name() for request in requests])
    unknown = [
        place for place, reply in enumerate(replies) if isinstance(reply, NoScriptError)
    ]
    if unknown:
        # so these did not run
        again = await line.send([requests[place].in_full() for place in unknown])
        for place, reply in zip(unknown, again, strict=True):
            replies[place] = reply
    return replies


def _leads_elsewhere(reply: object) -> bool:
    """Whether the connection leads to what was the master once."""
    # Redis before 7 puts it into the text of a script's own error
    return isinstance(reply, ResponseError) and (
        isinstance(reply, ReadOnlyError) or "READONLY" in str(reply)
    )


def _unreadable(error: ResponseError, keys: Sequence[str]) -> Unreadable | None:
    text = str(error)
    if found := _UNREADABLE.search(text):
        return Unreadable(found[1], found[2])
    if "WRONGTYPE" in text:
        return Unreadable(" or ".join(keys), "it holds another kind of value")
    return None
