"""What JetStream's answers to a claim mean, with a server that follows a script."""

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from anarchon.backends.nats.jetstream import (
    ApiError,
    JetStream,
    Stored,
    UnexpectedAnswer,
)
from anarchon.bridge import open_bridge

if TYPE_CHECKING:
    from anarchon.backends.nats.connection import Connection

pytestmark = pytest.mark.anyio

SUBJECT = "ns.c.job.17"
FULL = {"err_code": 10077, "description": "maximum messages exceeded"}
TAKEN = {"err_code": 10077, "description": "maximum messages per subject exceeded"}
MISSING = {"err_code": 10037, "description": "no message found"}


@dataclass
class Message:
    """An answer."""

    data: bytes
    subject: str = ""
    reply: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Script:
    """A connection that gives one answer after the other."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    async def ask(self, subject: str, payload: bytes) -> Message:
        """Give the next answer."""
        return Message(json.dumps(self.answers.pop(0)).encode())


async def put(script: Script) -> int | Stored:
    """Claim a slot at a server that follows the script."""
    jetstream = JetStream(cast("Connection", script))
    async with open_bridge() as bridge:
        return await bridge.call(jetstream.put, "claims", SUBJECT, b"mine")


def stored_as(data: bytes) -> dict[str, object]:
    """Return the answer that has the message of the subject."""
    message = {"subject": SUBJECT, "seq": 3, "data": base64.b64encode(data).decode()}
    return {"message": message}


async def test_acknowledged_message_has_a_number() -> None:
    """L1: a message that was stored won."""
    assert 5 == await put(Script({"stream": "claims", "seq": 5}))


async def test_message_on_its_way_is_waited_for() -> None:
    """L1: what a cluster refused others for may be readable only a moment later."""
    script = Script(
        {"error": TAKEN}, {"error": MISSING}, {"error": MISSING}, stored_as(b"theirs")
    )
    found = await put(script)
    assert isinstance(found, Stored)
    assert (3, b"theirs") == (found.seq, found.data)
    assert [] == script.answers


async def test_full_stream_is_an_error() -> None:
    """L1: nobody won, though the server's number for it is the same."""
    with pytest.raises(ApiError, match="maximum messages exceeded"):
        await put(Script({"error": FULL}))


@pytest.mark.parametrize(
    "answer",
    [
        {"stream": "others", "seq": 5},
        {"stream": "claims"},
        {"stream": "claims", "seq": "5"},
        [],
    ],
    ids=["another-stream", "no-number", "text", "no-object"],
)
async def test_strange_answer_is_no_grant(answer: object) -> None:
    """L1: only an acknowledgement of the right stream grants a slot."""
    with pytest.raises(UnexpectedAnswer):
        await put(Script(answer))
