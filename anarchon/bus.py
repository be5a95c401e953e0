"""How events reach their listeners: the log, callbacks, streams.

Decides the order, and that no listener can hurt the scheduler. Must not know who emits.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial

from anarchon import log
from anarchon.errors import InvalidOption
from anarchon.events import EVENT_NAMES, Event, EventStream

STREAM_CAPACITY = 1_000

Callback = Callable[[Event], object]


class _Queue(EventStream):
    """The bus's end of a stream."""

    def put(self, event: Event) -> None:
        """Add an event, unless the listener has closed the stream."""
        if self._closed:
            return
        if len(self._waiting) == STREAM_CAPACITY:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self._news.set()

    def end(self) -> None:
        """Say that no more will come."""
        self._over = True
        self._news.set()


class EventBus:
    """Hands each event to the log, the callbacks and the streams, in that order."""

    def __init__(self) -> None:
        self._callbacks: dict[str, list[Callback]] = {}
        self._queues: list[_Queue] = []

    def on(self, name: str, callback: Callback) -> Callable[[], None]:
        """Register a plain function; return the function that unsubscribes it."""
        if name not in EVENT_NAMES:
            raise InvalidOption(
                f"there is no event {name!r}; "
                f"events are {', '.join(sorted(EVENT_NAMES))}"
            )
        _check_callback(callback)
        entries = self._callbacks.setdefault(name, [])
        # one callback may be registered twice, and each time is undone by itself
        entry: Callback = partial(callback)
        entries.append(entry)

        def unsubscribe() -> None:
            if entry in entries:
                entries.remove(entry)

        return unsubscribe

    @contextmanager
    def stream(self) -> Generator[EventStream]:
        """Open a queue that receives every event from now on."""
        queue = _Queue()
        self._queues.append(queue)
        try:
            yield queue
        finally:
            self._queues.remove(queue)
            queue.end()

    def hears(self, kind: type[Event]) -> bool:
        """Whether anybody would be told of an event of this kind."""
        listens = self._queues or self._callbacks.get(kind.name)
        return bool(listens) or log.is_written(kind)

    def emit(self, event: Event) -> None:
        """Tell everybody; whatever a callback raises is logged and changes nothing."""
        log.write(event)
        for callback in tuple(self._callbacks.get(event.name, ())):
            _guarded(callback, event)
        for queue in self._queues:
            queue.put(event)


def _check_callback(callback: Callback) -> None:
    # inspect costs more to import than the rest of this file
    import inspect

    body: object = callback
    while isinstance(body, partial):
        body = body.func
    call = getattr(body, "__call__", None)  # noqa: B004  it may be an async method
    if call is None or any(map(inspect.iscoroutinefunction, (body, call))):
        raise InvalidOption(
            f"an event callback must be a plain function, called in the loop: "
            f"{callback!r} is not; for async work use events()"
        )


def _guarded(callback: Callback, event: Event) -> None:
    try:
        callback(event)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: ASYNC103, BLE001
        # nothing is awaited here, so even a cancellation is the callback's own fault
        log.callback_failed(event, error)
