"""Jobs, and how they are declared.

Decides what a job is and that names are unique. Must not know when or where it runs.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar, Unpack, overload

from anarchon.errors import DuplicateJob, InvalidOption, InvalidSchedule
from anarchon.options import JobOptions, Options, build_options
from anarchon.rules.cron import Cron
from anarchon.rules.durations import Duration
from anarchon.rules.every import Every
from anarchon.rules.handlers import read_handler
from anarchon.rules.names import check_job_name
from anarchon.rules.schedule import Schedule

if TYPE_CHECKING:
    from anarchon.engine.context import RunContext

Handler: TypeAlias = "Callable[[RunContext], object] | Callable[[], object]"
"""An ``async def``, or a ``def`` for a worker thread, of the context or of nothing."""

HandlerT = TypeVar("HandlerT", bound="Handler")


@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class Job:
    """A name, a schedule, a handler, and the options that were given for it.

    ``options`` holds the effective values, ``explicit`` the names of those that were
    given. ``takes_context`` and ``is_async`` tell how the handler is to be called.

    Raises:
        InvalidOption: the name, the handler or an option isn't allowed.
        InvalidSchedule: the schedule lacks ``next_after`` or ``latest_at``.
    """

    name: str
    schedule: Schedule
    handler: Handler
    options: Options
    explicit: frozenset[str]
    takes_context: bool
    is_async: bool

    def __init__(
        self,
        name: str,
        schedule: Schedule,
        handler: Handler,
        **options: Unpack[JobOptions],
    ) -> None:
        _check_schedule(schedule)
        calling = read_handler(handler)
        _set(
            self,
            name=check_job_name(name),
            schedule=schedule,
            handler=handler,
            options=build_options(options),
            explicit=frozenset(options),
            takes_context=calling.takes_context,
            is_async=calling.is_async,
        )

    def with_defaults(self, defaults: Mapping[str, object]) -> "Job":
        """Return the job with a scheduler's options where it was given none itself.

        Raises:
            InvalidOption: the effective options don't go together.
        """
        given = {name: getattr(self.options, name) for name in self.explicit}
        return self.with_options(build_options(given, defaults))

    def with_options(self, options: Options) -> "Job":
        """Return the job with other effective options."""
        return _set(copy.copy(self), options=options)

    def with_handler(self, handler: Handler) -> "Job":
        """Return the job with another handler, such as a test's, and all else as it is.

        Raises:
            InvalidOption: the handler isn't allowed.
        """
        calling = read_handler(handler)
        return _set(
            copy.copy(self),
            handler=handler,
            takes_context=calling.takes_context,
            is_async=calling.is_async,
        )

    def __repr__(self) -> str:
        return f"<Job {self.name!r}: {self.schedule!r}>"


def _set(job: Job, **values: object) -> Job:
    """Set what is frozen, on a job that nobody has seen yet."""
    for name, value in values.items():
        object.__setattr__(job, name, value)
    return job


def _check_schedule(schedule: object) -> None:
    if isinstance(schedule, type) or not isinstance(schedule, Schedule):
        raise InvalidSchedule(
            "a schedule is an Every, a Cron, or an object with the methods next_after "
            f"and latest_at, not {schedule!r}"
        )


class Registrar(ABC):
    """Something that jobs can be added to."""

    @abstractmethod
    def add(self, job: Job) -> None:
        """Register a job.

        Raises:
            DuplicateJob: there is one of this name.
        """

    @overload
    def every(
        self,
        name: str,
        period: Duration,
        handler: None = None,
        *,
        offset: Duration = 0,
        **job_options: Unpack[JobOptions],
    ) -> Callable[[HandlerT], HandlerT]: ...

    @overload
    def every(
        self,
        name: str,
        period: Duration,
        handler: HandlerT,
        *,
        offset: Duration = 0,
        **job_options: Unpack[JobOptions],
    ) -> HandlerT: ...

    def every(
        self,
        name: str,
        period: Duration,
        handler: HandlerT | None = None,
        *,
        offset: Duration = 0,
        **job_options: Unpack[JobOptions],
    ) -> HandlerT | Callable[[HandlerT], HandlerT]:
        """Register a job that is due each ``period``, counted from 1970-01-01 UTC.

        ``offset`` shifts that grid. Without a handler this is a decorator, which hands
        back the function untouched.

        Raises:
            DuplicateJob: there is one of this name.
            InvalidOption: the name, the handler or an option isn't allowed.
            InvalidSchedule: the period isn't at least a millisecond.
        """
        return self._declare(name, Every(period, offset=offset), handler, job_options)

    @overload
    def cron(
        self,
        name: str,
        expression: str,
        handler: None = None,
        *,
        timezone: str = "UTC",
        **job_options: Unpack[JobOptions],
    ) -> Callable[[HandlerT], HandlerT]: ...

    @overload
    def cron(
        self,
        name: str,
        expression: str,
        handler: HandlerT,
        *,
        timezone: str = "UTC",
        **job_options: Unpack[JobOptions],
    ) -> HandlerT: ...

    def cron(
        self,
        name: str,
        expression: str,
        handler: HandlerT | None = None,
        *,
        timezone: str = "UTC",
        **job_options: Unpack[JobOptions],
    ) -> HandlerT | Callable[[HandlerT], HandlerT]:
        """Register a job that is due when the expression matches the zone's local time.

        Without a handler this is a decorator, which hands back the function untouched.

        Raises:
            DuplicateJob: there is one of this name.
            InvalidOption: the name, the handler or an option isn't allowed.
            InvalidSchedule: the expression or the zone isn't usable.
        """
        return self._declare(
            name, Cron(expression, timezone=timezone), handler, job_options
        )

    def _declare(
        self,
        name: str,
        schedule: Schedule,
        handler: HandlerT | None,
        options: JobOptions,
    ) -> HandlerT | Callable[[HandlerT], HandlerT]:
        def register(handler: HandlerT) -> HandlerT:
            self.add(Job(name, schedule, handler, **options))
            return handler

        return register if handler is None else register(handler)


class Jobs(Registrar):
    """Jobs that were declared apart from a scheduler; pass it as ``jobs=``.

    Iterating it gives the jobs in the order of their declaration; ``in`` takes a name
    or a job.
    """

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}

    def add(self, job: Job) -> None:
        """Add a job.

        Raises:
            DuplicateJob: there is one of this name.
            InvalidOption: it isn't a ``Job``.
        """
        check_job(job)
        if job.name in self._jobs:
            raise DuplicateJob(f"there is a job named {job.name!r} already")
        self._jobs[job.name] = job

    def __iter__(self) -> Iterator[Job]:
        return iter(tuple(self._jobs.values()))

    def __len__(self) -> int:
        return len(self._jobs)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, Job):
            return self._jobs.get(item.name) is item
        return item in self._jobs

    def __repr__(self) -> str:
        return f"<Jobs: {', '.join(self._jobs) or 'none'}>"


def check_job(job: object) -> None:
    """Refuse what isn't a job.

    Raises:
        InvalidOption: it isn't a ``Job``.
    """
    if isinstance(job, Jobs):
        raise InvalidOption(
            f"expected a Job, not {job!r}; "
            "several Jobs are joined by unpacking them: jobs=[*these, *those]"
        )
    if not isinstance(job, Job):
        raise InvalidOption(f"expected a Job(name, schedule, handler), not {job!r}")
