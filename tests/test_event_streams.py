"""Streams of events: a listener's own queue, which hurts nobody."""

from datetime import UTC, datetime

import anyio
import anyio.lowlevel
import pytest

from anarchon import MemoryBackend, open_scheduler
from anarchon.bus import EventBus
from anarchon.events import (
    ClockSkew,
    Event,
    EventStream,
    Start,
    Success,
)

pytestmark = pytest.mark.anyio


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def skew(offset: float = 2.0) -> ClockSkew:
    """Return an event; ``offset`` tells it from others."""
    return ClockSkew(instance_id="A", at=NOW, offset=offset)


async def nothing() -> None:
    """Do the job's work."""


async def test_a_stream_receives_what_comes_after_it_was_opened() -> None:
    """In order, and for each stream."""
    bus = EventBus()
    bus.emit(skew(1))
    with bus.stream() as one, bus.stream() as two:
        bus.emit(skew(2))
        bus.emit(skew(3))

        assert [skew(2), skew(3)] == [await one.receive(), await one.receive()]
        assert skew(2) == two.receive_nowait()
        assert skew(3) == two.receive_nowait()
        with pytest.raises(anyio.WouldBlock):
            two.receive_nowait()


async def test_a_full_stream_drops_the_oldest_and_counts_them() -> None:
    """It holds 1,000; a listener that is too slow hears the newest."""
    bus = EventBus()
    with bus.stream() as slow:
        for number in range(1_234):
            bus.emit(skew(number))

        assert 234 == slow.dropped
        received = [(await slow.receive()) for _ in range(1_000)]
        assert [skew(number) for number in range(234, 1_234)] == received
        bus.emit(skew(-1))
        assert skew(-1) == await slow.receive()


async def test_a_stream_can_be_iterated_until_its_block_ends() -> None:
    """A task that listens ends by itself."""
    bus, heard = EventBus(), list[Event]()
    all_heard = anyio.Event()

    async def listen(stream: EventStream) -> None:
        async for event in stream:
            heard.append(event)
            if len(heard) == 2:
                all_heard.set()

    async with anyio.create_task_group() as tasks:
        with bus.stream() as stream:
            tasks.start_soon(listen, stream)
            bus.emit(skew(1))
            bus.emit(skew(2))
            await all_heard.wait()

    assert [skew(1), skew(2)] == heard


async def test_what_waits_at_the_end_of_the_block_can_still_be_received() -> None:
    """A slow listener loses nothing by the end, and then learns of it."""
    bus = EventBus()
    with bus.stream() as stream:
        bus.emit(skew(1))
        bus.emit(skew(2))
    bus.emit(skew(3))

    assert [skew(1), skew(2)] == [event async for event in stream]
    with pytest.raises(anyio.EndOfStream):
        stream.receive_nowait()


async def test_listeners_of_one_stream_share_its_events() -> None:
    """Each event is received once, by one of those that wait."""
    bus, heard = EventBus(), list[Event]()

    async def listen(stream: EventStream) -> None:
        heard.extend([event async for event in stream])

    async with anyio.create_task_group() as tasks:
        with bus.stream() as stream:
            for _ in range(3):
                tasks.start_soon(listen, stream)
            for number in range(10):
                bus.emit(skew(number))
                await anyio.lowlevel.checkpoint()

    numbers = sorted(event.offset for event in heard if isinstance(event, ClockSkew))
    assert list(range(10)) == numbers


async def test_closing_a_stream_wakes_who_waits() -> None:
    """A listener that waits learns that another one closed the stream."""
    with EventBus().stream() as stream:
        async with anyio.create_task_group() as tasks:

            async def close() -> None:
                await stream.aclose()

            tasks.start_soon(close)
            with pytest.raises(anyio.ClosedResourceError):
                await stream.receive()


async def test_a_cancelled_wait_takes_no_event() -> None:
    """What was not received is received next."""
    bus = EventBus()
    with bus.stream() as stream:
        with anyio.move_on_after(0):
            await stream.receive()
        bus.emit(skew(1))

        assert skew(1) == await stream.receive()


async def test_a_stream_that_its_listener_has_closed_hurts_nobody() -> None:
    """The scheduler goes on, and so do the other listeners."""
    async with open_scheduler(MemoryBackend()) as scheduler:
        scheduler.every("sync", "1d", nothing)
        async with scheduler.events() as closed, scheduler.events() as other:
            await closed.aclose()
            record = await scheduler.run_now("sync")

            assert ["start", "success"] == [(await other.receive()).name for _ in "12"]
            with pytest.raises(anyio.ClosedResourceError):
                await closed.receive()

    assert "success" == record.status


async def test_streams_of_the_scheduler_hear_its_events() -> None:
    """``events()`` yields a stream of all kinds."""
    async with open_scheduler(MemoryBackend()) as scheduler:
        scheduler.every("sync", "1d", nothing)
        async with scheduler.events() as stream:
            record = await scheduler.run_now("sync")
            start, success = await stream.receive(), await stream.receive()

    assert isinstance(start, Start)
    assert isinstance(success, Success)
    assert record == success.record


async def test_a_listener_after_the_stop_hears_the_last_events() -> None:
    """The stream outlives a stop, and can be read after it."""
    async with open_scheduler(MemoryBackend()) as scheduler:
        scheduler.every("sync", "1d", anyio.sleep_forever)
        async with scheduler.events() as stream, anyio.create_task_group() as tasks:
            tasks.start_soon(scheduler.run_now, "sync")
            assert "start" == (await stream.receive()).name
            await scheduler.stop()
            assert "interrupted" == (await stream.receive()).name
