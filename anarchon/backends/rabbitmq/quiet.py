"""Keeps what the drivers log about anarchon's own connections out of the user's logs.

An outage is told once, by anarchon's own events; the drivers would add a line for each
attempt to get over it. Must not know why anything is logged.
"""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_quiet: ContextVar[bool] = ContextVar("anarchon_quiet", default=False)
_TALKATIVE = (
    "aio_pika.connection",
    "aio_pika.channel",
    "aiormq.connection",
    "aiormq.channel",
)


class _Quiet(logging.Filter):
    """Lets through what is logged on behalf of others, and what is for debugging."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno <= logging.DEBUG or not _quiet.get()


_filter = _Quiet()


@contextmanager
def quietly() -> Generator[None]:
    """Hush the drivers in this block, and in the tasks that are started in it."""
    for name in _TALKATIVE:
        # adding it again changes nothing
        logging.getLogger(name).addFilter(_filter)
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)
