"""The few things that JetStream is asked for, as typed functions.

Decides how they are asked and what the answers mean. Must not know what the messages
of the streams say.
"""

import asyncio
import base64
import binascii
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from anarchon.backends.nats.connection import Connection
from anarchon.backends.nats.driver import Message

API = "$JS.API"
GET = "STREAM.MSG.GET"
LIMIT_REACHED = 10077
NO_MESSAGE = 10037
# for a message that is on its way to the servers of a cluster
LOOKS, PAUSE = 50, 0.02

Fields = dict[str, object]


class UnexpectedAnswer(Exception):
    """An answer that JetStream doesn't give."""


def fields_in(value: object) -> Fields:
    """Return a part of an answer that has fields.

    Raises:
        UnexpectedAnswer: it has none.
    """
    if not isinstance(value, dict):
        raise UnexpectedAnswer(f"{value!r}")
    return cast("Fields", value)


class ApiError(Exception):
    """The server refused a request; ``code`` is its number for the reason."""

    def __init__(self, error: object) -> None:
        fields = fields_in(error)
        super().__init__(f"JetStream refuses: {fields.get('description')}")
        self.code: object = fields.get("err_code")
        self.description: str = str(fields.get("description"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A message in a stream; ``seq`` is its number there, ``time`` an RFC 3339 text."""

    subject: str
    seq: int
    data: bytes
    time: str = ""


class JetStream:
    """Streams of one server or cluster; whatever fails is an exception."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def api(self, verb: str, **request: object) -> Fields:
        """Ask for something that isn't a message; a refusal is an ``ApiError``."""
        answer = await self._connection.ask(f"{API}.{verb}", _request(**request))
        return _answer(answer)

    async def put(self, stream: str, subject: str, data: bytes) -> int | Stored:
        """Store a message and return its number, or return the one that is there.

        Raises:
            ApiError: it wasn't stored for another reason: the stream is full, say.
        """
        answer = _parsed(await self._connection.ask(subject, data))
        if "error" in answer:
            error = ApiError(answer["error"])
            if _is_taken(error):
                return await self._settled(stream, subject)
            raise error
        if answer.get("stream") != stream:
            raise UnexpectedAnswer(f"{subject} went to {answer.get('stream')!r}")
        return _number(answer.get("seq"))

    async def last(self, stream: str, subject: str) -> Stored | None:
        """Return a subject's message, from the stream's leader."""
        return await self._get(stream, last_by_subj=subject)

    async def at(self, stream: str, seq: int) -> Stored | None:
        """Return the message of that number, from the stream's leader."""
        return await self._get(stream, seq=seq)

    async def subjects(self, stream: str, pattern: str) -> list[str]:
        """Return which subjects have messages, in no order."""
        found: list[str] = []
        while True:
            info = await self.api(
                f"STREAM.INFO.{stream}", subjects_filter=pattern, offset=len(found)
            )
            page = fields_in(info.get("state")).get("subjects")
            if page is None:
                return found
            found += fields_in(page)
            if len(found) >= _number(info.get("total")):
                return found

    async def last_of_all(self, stream: str, subjects: Iterable[str]) -> list[Stored]:
        """Return the messages that subjects have, from the stream's leader."""
        requests = [_request(last_by_subj=subject) for subject in subjects]
        answers = await self._connection.ask_all(f"{API}.{GET}.{stream}", requests)
        found = (_message_in(answer) for answer in answers)
        return [stored for stored in found if stored is not None]

    async def delete(self, stream: str, seq: int) -> None:
        """Have one message deleted; nobody waits for that."""
        await self._tell(f"STREAM.MSG.DELETE.{stream}", seq=seq)

    async def trim(self, stream: str, subjects: str, keep: int) -> None:
        """Have all but the newest messages deleted; nobody waits for that."""
        await self._tell(f"STREAM.PURGE.{stream}", filter=subjects, keep=keep)

    async def _settled(self, stream: str, subject: str) -> Stored:
        """Return the message because of which another one was refused.

        A cluster refuses as soon as it has received the first, and shows that only when
        most servers have it.
        """
        for _ in range(LOOKS):
            if (stored := await self.last(stream, subject)) is not None:
                return stored
            await asyncio.sleep(PAUSE)
        raise UnexpectedAnswer(f"{subject} is taken, and there is nothing")

    async def _get(self, stream: str, **which: object) -> Stored | None:
        request = _request(**which)
        return _message_in(await self._connection.ask(f"{API}.{GET}.{stream}", request))

    async def _tell(self, verb: str, **request: object) -> None:
        await self._connection.tell(f"{API}.{verb}", _request(**request))


def _request(**fields: object) -> bytes:
    return json.dumps(fields).encode() if fields else b""


def _message_in(answer: Message) -> Stored | None:
    try:
        return _stored(fields_in(_answer(answer).get("message")))
    except ApiError as error:
        if error.code != NO_MESSAGE:
            raise
        return None


def _parsed(message: Message) -> Fields:
    return fields_in(json.loads(message.data.decode()))


def _answer(message: Message) -> Fields:
    answer = _parsed(message)
    if "error" in answer:
        raise ApiError(answer["error"])
    return answer


def _is_taken(error: ApiError) -> bool:
    # a stream that is full has the same number, and only another text
    return error.code == LIMIT_REACHED and "per subject" in error.description


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise UnexpectedAnswer(f"{value!r}")
    return value


def _stored(fields: Fields) -> Stored:
    try:
        data = base64.b64decode(str(fields.get("data", "")), validate=True)
    except binascii.Error:
        raise UnexpectedAnswer(f"{fields!r}") from None
    return Stored(
        subject=str(fields.get("subject")),
        seq=_number(fields.get("seq")),
        data=data,
        time=str(fields.get("time")),
    )
