"""Scheduled jobs on every instance of a service, without a leader.

The names that users need. A backend's driver is loaded when the backend is first named.
"""

from typing import TYPE_CHECKING

from anarchon.clock import Clock, SystemClock
from anarchon.engine.context import RunContext
from anarchon.errors import (
    AnarchonError,
    BackendTooOld,
    BackendUnavailable,
    DuplicateJob,
    InvalidOption,
    InvalidSchedule,
    SchedulerNotRunning,
    UnknownJob,
)
from anarchon.jobs import Job, Jobs
from anarchon.model import CancelReason, Reason, RunRecord, State, Status
from anarchon.rules.cron import Cron
from anarchon.rules.every import Every
from anarchon.scheduler import Scheduler, open_scheduler

if TYPE_CHECKING:
    from anarchon.backends.memory import MemoryBackend
    from anarchon.backends.sqlite import SqliteBackend

__all__ = [
    "AnarchonError",
    "BackendTooOld",
    "BackendUnavailable",
    "CancelReason",
    "Clock",
    "Cron",
    "DuplicateJob",
    "Every",
    "InvalidOption",
    "InvalidSchedule",
    "Job",
    "Jobs",
    "MemoryBackend",
    "Reason",
    "RunContext",
    "RunRecord",
    "Scheduler",
    "SchedulerNotRunning",
    "SqliteBackend",
    "State",
    "Status",
    "SystemClock",
    "UnknownJob",
    "open_scheduler",
]

_LAZY = {
    "MemoryBackend": "anarchon.backends.memory",
    "SqliteBackend": "anarchon.backends.sqlite",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'anarchon' has no attribute {name!r}")
    # asked for once per name; a plain import would load every driver
    import importlib

    value: object = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
