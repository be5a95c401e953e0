"""How users listen to a scheduler.

Decides what a type checker knows of an event by its name. Must not know who emits.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Literal, Never, TypeAlias, cast, overload

from anarchon.bus import Callback, EventBus
from anarchon.events import (
    ClockSkew,
    Error,
    Event,
    EventStream,
    Failure,
    Interrupted,
    Lost,
    Skip,
    Start,
    Success,
    Takeover,
)

Unsubscribe: TypeAlias = "Callable[[], None]"


class Listening:
    """Something whose events can be heard."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    @overload
    def on(
        self, event: Literal["start"], callback: Callable[[Start], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["success"], callback: Callable[[Success], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["failure"], callback: Callable[[Failure], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["interrupted"], callback: Callable[[Interrupted], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["lost"], callback: Callable[[Lost], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["skip"], callback: Callable[[Skip], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["takeover"], callback: Callable[[Takeover], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["error"], callback: Callable[[Error], object]
    ) -> Unsubscribe: ...

    @overload
    def on(
        self, event: Literal["clock_skew"], callback: Callable[[ClockSkew], object]
    ) -> Unsubscribe: ...

    @overload
    def on(self, event: str, callback: Callable[[Event], object]) -> Unsubscribe: ...

    def on(self, event: str, callback: Callable[[Never], object]) -> Unsubscribe:
        """Call a plain function, in the loop, at each event of a name.

        Returns the function that unsubscribes it. What a callback raises is logged.

        Raises:
            InvalidOption: no event has this name, or the callback is no plain function.
        """
        return self._bus.on(event, cast("Callback", callback))

    @asynccontextmanager
    async def events(self) -> AsyncGenerator[EventStream]:
        """Receive all events from now on; the block yields the stream of them.

        It holds 1,000, drops the oldest and counts them in ``dropped``.
        """
        with self._bus.stream() as stream:
            yield stream
