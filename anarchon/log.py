"""How an event reads in the log.

Decides the logger and the words of a line, and that a log that fails hurts nobody. Must
not know who else listens.
"""

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields

from anarchon.events import Error, Event, Failure, Skip
from anarchon.model import RunRecord

logger: logging.Logger = logging.getLogger("anarchon")


def write(event: Event) -> None:
    """Log an event at its level, with the traceback of what a handler raised."""
    level = _level(event)
    if not logger.isEnabledFor(level):
        return
    raised = event.exception if isinstance(event, Failure) else None
    _log(event, level, line(event), raised)


def is_written(kind: type[Event]) -> bool:
    """Whether the log takes events of this kind, at their usual level."""
    return logger.isEnabledFor(kind.level)


def callback_failed(event: Event, error: BaseException) -> None:
    """Log what a callback raised at an event, with its traceback."""
    _log(event, logging.ERROR, "callback failed", error)


def _level(event: Event) -> int:
    match event:
        case Skip(reason="late"):
            # a run that nobody starts any more, as far as this instance knows
            return logging.WARNING
        case Error(again=True):
            # an outage is told by its first error and by its end
            return logging.DEBUG
        case _:
            return event.level


def _log(event: Event, level: int, text: str, error: BaseException | None) -> None:
    # a handler of the host's may raise; then there is nobody left to tell
    with suppress(Exception):
        logger.log(level, "%s", text, exc_info=error, extra={"anarchon": event})


def line(event: Event) -> str:
    """Return the name of an event and what it tells, as ``key=value``."""
    told = (f"{key}={_text(value)}" for key, value in _told(event) if value is not None)
    return " ".join([event.name, *told])


def _told(event: Event) -> Iterator[tuple[str, object]]:
    # the log has the time and the traceback itself
    for field in fields(event):
        value: object = getattr(event, field.name)
        if isinstance(value, RunRecord):
            yield from _ended(event, value)
        elif field.name not in {"at", "exception", "again"}:
            yield field.name, value


def _ended(event: Event, record: RunRecord) -> Iterator[tuple[str, object]]:
    if record.instance_id != event.instance_id:
        yield "runner", record.instance_id
    yield "duration", record.duration
    yield "error", record.error


def _text(value: object) -> str:
    match value:
        case float():
            return f"{value:.3f}"
        case str() if not value or not value.isprintable() or set(value) & set(" \"'="):
            # a line stays a line, and can be taken apart
            return repr(str(value))
        case _:
            return str(value)
