"""Events: what they carry, how they reach a callback, and what it can't do."""

import asyncio
import functools
import logging
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime, timedelta

import pytest

from anarchon import InvalidOption, MemoryBackend, open_scheduler
from anarchon.bus import EventBus
from anarchon.events import (
    EVENT_NAMES,
    ClockSkew,
    Error,
    Event,
    Failure,
    Interrupted,
    Lost,
    Skip,
    Start,
    Success,
    Takeover,
)

pytestmark = pytest.mark.anyio


NOW = datetime(2026, 1, 1, tzinfo=UTC)


FIELDS: dict[type[Event], set[str]] = {
    Start: {"job", "slot", "attempt", "reason"},
    Success: {"job", "slot", "attempt", "record"},
    Failure: {"job", "slot", "attempt", "record", "exception"},
    Interrupted: {"job", "slot", "attempt", "record", "handed_over", "final"},
    Lost: {"job", "slot", "attempt", "cause"},
    Skip: {"job", "slot", "attempt", "reason", "by"},
    Takeover: {"job", "slot", "attempt", "from_instance", "waited"},
    Error: {"job", "slot", "attempt", "operation", "error", "again"},
    ClockSkew: {"offset"},
}


def skew(offset: float = 2.0) -> ClockSkew:
    """Return an event; ``offset`` tells it from others."""
    return ClockSkew(instance_id="A", at=NOW, offset=offset)


async def nothing() -> None:
    """Do the job's work."""


@pytest.mark.parametrize(("kind", "names"), FIELDS.items())
def test_an_event_has_the_fields_of_its_kind(
    kind: type[Event], names: set[str]
) -> None:
    """Beside who and when there is exactly what the table says."""
    assert {"instance_id", "at"} | names == {field.name for field in fields(kind)}
    assert kind.name in EVENT_NAMES


def test_there_are_no_other_events() -> None:
    """The names for ``on`` are the kinds' names."""
    assert {kind.name for kind in FIELDS} == EVENT_NAMES


def test_an_event_can_not_be_changed() -> None:
    """One listener can't change what the next one sees."""
    with pytest.raises(FrozenInstanceError):
        skew().offset = 0  # type: ignore[misc]


async def test_an_event_tells_who_and_when() -> None:
    """The instance and an aware instant, by the instance's wall clock."""
    events: list[Event] = []
    async with open_scheduler(MemoryBackend(), instance_id="web 1") as scheduler:
        scheduler.on("success", events.append)
        scheduler.every("sync", "1d", nothing)
        await scheduler.run_now("sync")

    [event] = events
    assert "web 1" == event.instance_id
    assert UTC is event.at.tzinfo
    assert abs(datetime.now(UTC) - event.at) < timedelta(seconds=10)


def test_callbacks_are_called_in_order_at_once() -> None:
    """In the order of their registration, before the emitter goes on."""
    bus, called = EventBus(), list[str]()

    def listener(name: str) -> Callable[[Event], None]:
        return lambda _: called.append(name)

    for name in ("one", "two", "three"):
        bus.on("clock_skew", listener(name))
    bus.emit(skew())

    assert ["one", "two", "three"] == called


def test_a_callback_hears_the_events_of_its_name_alone() -> None:
    """Others pass it by."""
    bus, heard = EventBus(), list[Event]()
    bus.on("clock_skew", heard.append)
    bus.emit(Error(instance_id="A", at=NOW, operation="claim", error="odd"))
    bus.emit(skew())

    assert [skew()] == heard


def test_a_callback_is_unsubscribed_by_what_on_returns() -> None:
    """Registered twice it is called twice, and each time is undone by itself."""
    bus, heard = EventBus(), list[Event]()
    first = bus.on("clock_skew", heard.append)
    bus.on("clock_skew", heard.append)
    bus.emit(skew())
    first()
    first()
    bus.emit(skew())

    assert 3 == len(heard)


def test_a_bus_hears_only_what_somebody_is_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An event is heard while a callback, a stream or the log takes its kind."""
    caplog.set_level(logging.WARNING, "anarchon")
    bus = EventBus()
    heard = [bus.hears(Start), bus.hears(Failure)]
    unsubscribe = bus.on("start", lambda _: None)
    heard += [bus.hears(Start), bus.hears(Success)]
    unsubscribe()
    with bus.stream():
        heard += [bus.hears(Start), bus.hears(Success)]
    heard += [bus.hears(Start)]
    assert [False, True, True, False, True, True, False] == heard


def test_a_callback_may_unsubscribe_itself_and_others() -> None:
    """Who was registered when the event came hears it."""
    bus, called = EventBus(), list[str]()

    def once(_: Event) -> None:
        called.append("once")
        undo_once()
        undo_last()

    undo_once = bus.on("clock_skew", once)
    undo_last = bus.on("clock_skew", lambda _: called.append("last"))
    bus.emit(skew())
    bus.emit(skew())

    assert ["once", "last"] == called


class Rude(BaseException):
    """What nobody expects of a callback."""


@pytest.mark.parametrize(
    "raised", [ValueError("odd"), asyncio.CancelledError(), Rude(), GeneratorExit()]
)
def test_a_callback_that_raises_is_logged_and_changes_nothing(
    raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """The others hear the event all the same."""
    bus, heard = EventBus(), list[Event]()

    def rude(_: Event) -> None:
        raise raised

    bus.on("clock_skew", rude)
    bus.on("clock_skew", heard.append)
    bus.emit(skew())

    assert [skew()] == heard
    [record] = [r for r in caplog.records if "callback failed" in r.getMessage()]
    assert record.exc_info is not None
    assert raised is record.exc_info[1]


@pytest.mark.parametrize("name", sorted(EVENT_NAMES))
async def test_a_callback_that_raises_hurts_no_run(name: str) -> None:
    """Whatever event it hears, the run has its record."""

    def rude(_: Event) -> None:
        raise ValueError("odd")

    async with open_scheduler(MemoryBackend()) as scheduler:
        scheduler.on(name, rude)
        scheduler.every("sync", "1d", nothing)
        record = await scheduler.run_now("sync")

    assert "success" == record.status


class Listener:
    """Has methods to be called back."""

    def __init__(self) -> None:
        self.heard: list[Event] = []

    def hear(self, event: Event) -> None:
        """Hear plainly."""
        self.heard.append(event)

    async def hear_later(self, event: Event) -> None:
        """Hear asynchronously, which can't be."""
        self.heard.append(event)


class AsyncCallable:
    """An object whose call is asynchronous."""

    async def __call__(self, event: Event) -> None:
        """Hear asynchronously, which can't be."""


@pytest.mark.parametrize(
    "callback",
    [
        Listener().hear_later,
        AsyncCallable(),
        functools.partial(Listener().hear_later),
        functools.partial(AsyncCallable()),
        "hear",
        None,
    ],
    ids=["method", "object", "partial", "partial object", "text", "nothing"],
)
def test_what_is_no_plain_function_is_refused(callback: object) -> None:
    """Nobody would await it; the message says what to use instead."""
    with pytest.raises(InvalidOption, match=r"plain function.*use events\(\)"):
        EventBus().on("clock_skew", callback)  # type: ignore[arg-type]


def test_methods_and_partials_are_plain_functions() -> None:
    """Whatever can be called with the event is welcome."""
    bus, listener = EventBus(), Listener()
    bus.on("clock_skew", listener.hear)
    bus.on("clock_skew", functools.partial(Listener.hear, listener))
    bus.emit(skew())

    assert 2 == len(listener.heard)


def test_an_unknown_event_is_refused_with_the_known_ones() -> None:
    """A misspelt name would never be heard of."""
    with pytest.raises(InvalidOption, match="no event 'begin'; events are clock_skew"):
        EventBus().on("begin", print)


LEVELS: dict[type[Event], int] = {
    Start: logging.INFO,
    Success: logging.INFO,
    Failure: logging.ERROR,
    Interrupted: logging.WARNING,
    Lost: logging.WARNING,
    Skip: logging.DEBUG,
    Takeover: logging.WARNING,
    Error: logging.ERROR,
    ClockSkew: logging.WARNING,
}


@pytest.mark.parametrize(("kind", "level"), LEVELS.items())
def test_an_event_is_logged_at_the_level_of_its_kind(
    kind: type[Event], level: int
) -> None:
    """What needs somebody's attention stands out."""
    assert level == kind.level


def test_an_event_is_logged_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    """The line names all that is known; the record carries the event itself."""
    caplog.set_level(logging.DEBUG, "anarchon")
    event = Skip(
        instance_id="A", at=NOW, job="sync", slot=7, attempt=1, reason="taken", by=None
    )
    EventBus().emit(event)

    [record] = caplog.records
    expected = "skip instance_id=A job=sync slot=7 attempt=1 reason=taken"
    assert ("anarchon", expected) == (record.name, record.getMessage())
    assert event is record.__dict__["anarchon"]
