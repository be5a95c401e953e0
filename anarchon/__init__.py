"""Scheduled jobs on every instance of a service, without a leader.

The names that users need. Each is loaded when it is first asked for, so that importing
the package costs next to nothing and loads no driver.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anarchon.backends.memory import MemoryBackend
    from anarchon.backends.nats import NatsBackend
    from anarchon.backends.postgres import PostgresBackend
    from anarchon.backends.rabbitmq import RabbitMQBackend
    from anarchon.backends.redis import RedisBackend
    from anarchon.backends.sqlite import SqliteBackend
    from anarchon.bridge import Bridge, open_bridge
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
    from anarchon.opening import open_scheduler
    from anarchon.rules.cron import Cron
    from anarchon.rules.every import Every
    from anarchon.scheduler import Scheduler

__all__ = [
    "AnarchonError",
    "BackendTooOld",
    "BackendUnavailable",
    "Bridge",
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
    "NatsBackend",
    "PostgresBackend",
    "RabbitMQBackend",
    "Reason",
    "RedisBackend",
    "RunContext",
    "RunRecord",
    "Scheduler",
    "SchedulerNotRunning",
    "SqliteBackend",
    "State",
    "Status",
    "SystemClock",
    "UnknownJob",
    "open_bridge",
    "open_scheduler",
]

_NAMES_OF = {
    "backends.memory": ("MemoryBackend",),
    "backends.nats": ("NatsBackend",),
    "backends.postgres": ("PostgresBackend",),
    "backends.rabbitmq": ("RabbitMQBackend",),
    "backends.redis": ("RedisBackend",),
    "backends.sqlite": ("SqliteBackend",),
    "bridge": ("Bridge", "open_bridge"),
    "clock": ("Clock", "SystemClock"),
    "engine.context": ("RunContext",),
    "errors": (
        "AnarchonError",
        "BackendTooOld",
        "BackendUnavailable",
        "DuplicateJob",
        "InvalidOption",
        "InvalidSchedule",
        "SchedulerNotRunning",
        "UnknownJob",
    ),
    "jobs": ("Job", "Jobs"),
    "model": ("CancelReason", "Reason", "RunRecord", "State", "Status"),
    "rules.cron": ("Cron",),
    "rules.every": ("Every",),
    "opening": ("open_scheduler",),
    "scheduler": ("Scheduler",),
}
_HOME_OF = {name: home for home, names in _NAMES_OF.items() for name in names}

if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        home = import_module(f"{__name__}.{_HOME_OF[name]}")
        value = globals()[name] = getattr(home, name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
