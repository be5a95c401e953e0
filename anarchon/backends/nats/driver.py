"""As much of nats-py as is used here, with types.

Decides nothing. The driver's own types are incomplete.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol


class Message(Protocol):
    """What a server delivers."""

    @property
    def subject(self) -> str:
        """Where it was sent."""
        ...

    @property
    def reply(self) -> str:
        """Where an answer to it goes; empty if none is wanted."""
        ...

    @property
    def data(self) -> bytes:
        """What it says."""
        ...

    @property
    def headers(self) -> Mapping[str, str] | None:
        """What it says beside that."""
        ...


class Subscription(Protocol):
    """What delivers messages until it is ended."""

    async def unsubscribe(self) -> None:
        """End it."""
        ...


class Version(Protocol):
    """A server's version."""

    @property
    def major(self) -> int:
        """The first number."""
        ...

    @property
    def minor(self) -> int:
        """The second number."""
        ...

    @property
    def patch(self) -> int:
        """The third number."""
        ...


class NatsClient(Protocol):
    """A client, connected or not."""

    @property
    def is_connected(self) -> bool:
        """Whether something can be sent now."""
        ...

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, or has given up."""
        ...

    @property
    def connected_server_version(self) -> Version:
        """The version of its server."""
        ...

    @property
    def stats(self) -> Mapping[str, int]:
        """What it counts."""
        ...

    def new_inbox(self) -> str:
        """Return a subject that nobody else has."""
        ...

    async def publish(
        self, subject: str, payload: bytes = ..., reply: str = ...
    ) -> None:
        """Send a message."""
        ...

    async def subscribe(
        self, subject: str, *, cb: Callable[[Message], Awaitable[None]]
    ) -> Subscription:
        """Have messages delivered to a function."""
        ...

    async def close(self) -> None:
        """Close it for good."""
        ...
