"""Bad input: an error at the call that made the mistake, with value and rule."""

import threading
from collections.abc import Callable
from datetime import timedelta

import anyio
import pytest

from anarchon import (
    AnarchonError,
    BackendTooOld,
    Cron,
    DuplicateJob,
    Every,
    InvalidOption,
    InvalidSchedule,
    Job,
    Jobs,
    MemoryBackend,
    RunContext,
    SchedulerNotRunning,
    open_scheduler,
)

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


def two(ctx: RunContext, more: int) -> None:
    """Want more than there is."""


def add(**options: object) -> Callable[[], object]:
    """Return a call that adds a job with these options."""
    return lambda: Jobs().every("sync", "1m", nothing, **options)  # type: ignore[call-overload]


def named(name: object) -> Callable[[], object]:
    """Return a call that adds a job of this name."""
    return lambda: Jobs().every(name, "1m", nothing)  # type: ignore[call-overload]


def handled(handler: object) -> Callable[[], object]:
    """Return a call that adds a job with this handler."""
    return lambda: Jobs().every("sync", "1m", handler)  # type: ignore[call-overload]


def every(period: object, **offset: object) -> Callable[[], object]:
    """Return a call that adds a job with this period."""
    return lambda: Jobs().every("sync", period, nothing, **offset)  # type: ignore[call-overload]


def cron(expression: object, **timezone: object) -> Callable[[], object]:
    """Return a call that adds a job with this expression."""
    return lambda: Jobs().cron("sync", expression, nothing, **timezone)  # type: ignore[call-overload]


DURATION = ["must be a duration", "'10s'", "'1h30m'", "timedelta"]

OPTIONS = {
    "unknown": (add(timeouts=3), ["'timeouts'", "did you mean 'timeout'", "max_late"]),
    "text": (add(lease="soon"), ["lease", "'soon'", *DURATION]),
    "unit": (add(lease="3 weeks"), ["lease", "'3 weeks'", *DURATION]),
    "negative": (add(jitter=-1), ["jitter", "-1", "0 or more", *DURATION]),
    "zero": (add(lease=0), ["lease", "not 0", "more than 0", *DURATION]),
    "zero timeout": (add(timeout=0), ["timeout", "more than 0", *DURATION]),
    "nan": (add(max_late=float("nan")), ["max_late", "nan", *DURATION]),
    "infinite": (add(lease=float("inf")), ["lease", "inf", "100 years"]),
    "too long": (add(catch_up=10**12), ["catch_up", "1000000000000", "100 years"]),
    "bool": (add(heartbeat=True), ["heartbeat", "True", *DURATION]),
    "none": (add(heartbeat=None), ["heartbeat", "None", *DURATION]),
    "negative delta": (add(lease=timedelta(-1)), ["lease", "timedelta(days=-1)"]),
    "count": (add(max_attempts=0), ["max_attempts", "whole number from 1", "not 0"]),
    "half": (add(keep=2.5), ["keep", "whole number from 1", "2.5"]),
    "text count": (add(keep="many"), ["keep", "whole number", "'many'"]),
    "overlap": (add(overlap="queue"), ["overlap", "'skip' or 'allow'", "'queue'"]),
    "contact": (
        add(on_lost_contact="wait"),
        ["on_lost_contact", "'cancel' or 'continue'", "'wait'"],
    ),
    "beats": (
        add(lease=10, heartbeat=4),
        ["three times heartbeat", "lease is 10 s (given)", "heartbeat is 4 s (given)"],
    ),
    "jitter": (
        add(jitter="1m", max_late="30s"),
        ["jitter must be below max_late", "60 s (given)", "30 s (given)"],
    ),
    "empty name": (named(""), ["1 to 200 characters", "not 0"]),
    "long name": (named("x" * 201), ["1 to 200 characters", "not 201"]),
    "NUL": (named("a\0b"), ["neither NUL nor lone surrogates", "a\\x00b"]),
    "surrogate": (named("a\ud800"), ["lone surrogates", "\\ud800"]),
    "no text": (named(7), ["a job's name must be a str", "7"]),
    "two arguments": (handled(two), ["of the context or of nothing", "ctx, more"]),
    "keyword": (handled(lambda *, ctx: None), ["of the context or of nothing", "ctx"]),
    "class": (handled(Every), ["of the context or of nothing", "class Every"]),
    "no function": (handled("nothing"), ["of the context", "'nothing'"]),
    "no job": (lambda: Jobs().add("sync"), ["Job(name, schedule, handler)", "'sync'"]),  # type: ignore[arg-type]
}

SCHEDULES = {
    "zero": (every(0), ["period", "more than 0", "not 0"]),
    "negative": (every("-10s"), ["period", "'-10s'", *DURATION]),
    "text": (every("hourly"), ["period", "'hourly'", *DURATION]),
    "fraction": (every(0.0005), ["period must be whole milliseconds", "0.0005"]),
    "offset": (every("1m", offset=-5), ["offset", "-5", "0 or more"]),
    "minute": (cron("60 * * * *"), ["'60'", "minute", "0 to 59"]),
    "hour": (cron("0 24 * * *"), ["'24'", "hour", "0 to 23"]),
    "day": (cron("0 0 32 * *"), ["'32'", "day of month", "1 to 31"]),
    "month": (cron("0 0 1 13 *"), ["'13'", "month", "1 to 12"]),
    "weekday": (cron("0 0 * * 8"), ["'8'", "day of week", "0 to 7"]),
    "second": (cron("60 * * * * *"), ["'60'", "second", "0 to 59"]),
    "word": (cron("0 0 * * someday"), ["'someday'", "day of week"]),
    "four fields": (cron("0 0 * *"), ["5 fields", "6 with seconds first", "'0 0 * *'"]),
    "empty": (cron(""), ["5 fields", "''"]),
    "alias": (cron("@often"), ["'@often'", "@daily", "@hourly"]),
    "number": (cron(5), ["must be a str", "5"]),
    "never": (cron("0 0 30 2 *"), ["'0 0 30 2 *'", "never matches any date"]),
    "zone": (cron("0 0 * * *", timezone="Athens"), ["'Athens'", "'Europe/Athens'"]),
    "empty zone": (cron("0 0 * * *", timezone=""), ["time zone ''"]),
    "no schedule": (
        lambda: Job("sync", "0 0 * * *", nothing),  # type: ignore[arg-type]
        ["an Every, a Cron, or an object", "next_after", "'0 0 * * *'"],
    ),
    "class": (
        lambda: Job("sync", Every, nothing),  # type: ignore[arg-type]
        ["an Every, a Cron, or an object", "Every"],
    ),
}

BACKENDS = {
    "scheme": (
        "mysql://localhost",
        ["mysql://", "known are", "memory://", "sqlite://"],
    ),
    "no scheme": ("jobs.db", ["starts with a scheme", "memory://", "'jobs.db'"]),
    "number": (7, ["a URL or a backend object", "7"]),
    "class": (MemoryBackend, ["a URL or a backend object", "MemoryBackend"]),
    "query": ("memory://?x=1", ["memory://name", "'memory://?x=1'"]),
}


def words(texts: list[str], error: BaseException) -> list[str]:
    """Return those of the texts that the error's message lacks."""
    return [text for text in texts if text not in str(error)]


@pytest.mark.parametrize(("call", "texts"), OPTIONS.values(), ids=OPTIONS)
def test_a_bad_option_is_refused(call: Callable[[], object], texts: list[str]) -> None:
    """The message names the option, the value and what is allowed."""
    with pytest.raises(InvalidOption) as caught:
        call()

    assert [] == words(texts, caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AnarchonError)


@pytest.mark.parametrize(("call", "texts"), SCHEDULES.values(), ids=SCHEDULES)
def test_a_bad_schedule_is_refused(
    call: Callable[[], object], texts: list[str]
) -> None:
    """The message names the field, the value and what is allowed."""
    with pytest.raises(InvalidSchedule) as caught:
        call()

    assert [] == words(texts, caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(("backend", "texts"), BACKENDS.values(), ids=BACKENDS)
async def test_a_bad_backend_is_refused(backend: object, texts: list[str]) -> None:
    """The message says what there is, before anything is opened."""
    with pytest.raises(InvalidOption) as caught:
        async with open_scheduler(backend):  # type: ignore[arg-type]
            raise AssertionError("opened")

    assert [] == words(texts, caught.value)


async def test_a_url_without_a_scheme_shows_no_password() -> None:
    """What may be a secret isn't repeated."""
    with pytest.raises(InvalidOption) as caught:
        async with open_scheduler("user:hunter2@host/0"):
            raise AssertionError("opened")

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "with space", "ü", "x" * 65, "a{b}", "a:b", 7])
def test_a_bad_namespace_is_refused(name: object) -> None:
    """Only characters that every store can hold."""
    with pytest.raises(InvalidOption, match="1 to 64 of the characters") as caught:
        MemoryBackend(namespace=name)  # type: ignore[arg-type]

    assert repr(name) in str(caught.value)


SCHEDULER = {
    "unknown": ({"leese": 3}, ["'leese'", "did you mean 'lease'", "stop_timeout"]),
    "stop timeout": ({"stop_timeout": -1}, ["stop_timeout", "-1", "0 or more"]),
    "instance": ({"instance_id": ""}, ["instance_id", "1 to 200", "''"]),
    "instance number": ({"instance_id": 7}, ["instance_id", "a str", "7"]),
    "instance code": ({"instance_id": "a\ud800"}, ["instance_id", "surrogates"]),
    "clock": ({"clock": 7}, ["clock", "time", "monotonic", "sleep", "7"]),
    "default": ({"lease": "soon"}, ["lease", "'soon'", *DURATION]),
    "defaults": (
        {"heartbeat": 20},
        ["lease is 30 s (the default)", "heartbeat is 20 s (from the scheduler)"],
    ),
}


@pytest.mark.parametrize(("options", "texts"), SCHEDULER.values(), ids=SCHEDULER)
async def test_a_bad_option_of_the_scheduler_is_refused(
    options: dict[str, object], texts: list[str]
) -> None:
    """When the scheduler is opened, before the store is."""
    with pytest.raises(InvalidOption) as caught:
        async with open_scheduler("memory://", **options):  # type: ignore[arg-type]
            raise AssertionError("opened")

    assert [] == words(texts, caught.value)


async def test_options_that_clash_with_the_schedulers_are_refused() -> None:
    """The message says where each of the two came from."""
    async with open_scheduler("memory://", lease=60, heartbeat=20) as scheduler:
        with pytest.raises(InvalidOption) as caught:
            scheduler.every("sync", "1m", nothing, lease=30)

        texts = ["'sync'", "lease is 30 s (given)", "20 s (from the scheduler)"]
        assert [] == words(texts, caught.value)
        assert () == scheduler.jobs


async def test_jobs_are_checked_when_the_block_is_entered() -> None:
    """Jobs that were declared elsewhere, and what is no job at all."""
    jobs = Jobs()
    jobs.every("sync", "1m", nothing)
    with pytest.raises(DuplicateJob, match="'sync'"):
        async with open_scheduler("memory://", jobs=[*jobs, *jobs]):
            raise AssertionError("opened")
    with pytest.raises(InvalidOption, match=r"Job\(name, schedule, handler\), not 'a'"):
        async with open_scheduler("memory://", jobs="a job"):  # type: ignore[arg-type]
            raise AssertionError("opened")
    with pytest.raises(InvalidOption, match=r"not <Jobs: sync>; .*jobs=\[\*these, \*"):
        async with open_scheduler("memory://", jobs=[jobs]):  # type: ignore[list-item]
            raise AssertionError("opened")


def test_a_name_registered_twice_is_refused() -> None:
    """Also in a registry apart from a scheduler."""
    jobs = Jobs()
    jobs.every("sync", "1m", nothing)
    with pytest.raises(DuplicateJob, match="'sync'"):
        jobs.cron("sync", "* * * * *", nothing)


NEEDS = {
    "lease": {"lease": 60},
    "heartbeat": {"heartbeat": 5},
    "catch_up": {"catch_up": 60},
    "overlap": {"overlap": "skip"},
    "max_attempts": {"max_attempts": 2},
    "on_lost_contact": {"on_lost_contact": "continue"},
}


@pytest.mark.parametrize(("name", "option"), NEEDS.items())
async def test_an_option_that_needs_leases_is_refused_without_them(
    name: str, option: dict[str, object]
) -> None:
    """The message names the option, this backend and those that can."""
    texts = [name, "the memory backend", "sqlite", "postgresql", "redis"]
    backend = MemoryBackend(leases=False)
    async with open_scheduler(backend, start=False) as scheduler:
        with pytest.raises(InvalidOption) as caught:
            scheduler.every("sync", "1m", nothing, **option)  # type: ignore[call-overload]
        assert [] == words(["'sync'", *texts], caught.value)
    with pytest.raises(InvalidOption) as caught:
        async with open_scheduler(backend, **option):  # type: ignore[arg-type]
            raise AssertionError("opened")
    assert [] == words(texts, caught.value)


async def test_what_asks_for_nothing_is_allowed_without_leases() -> None:
    """No catch-up and allowed overlap are what such a store does anyway."""
    async with open_scheduler(MemoryBackend(leases=False), catch_up=0) as scheduler:
        scheduler.every("sync", "1m", nothing, overlap="allow", max_late=30, jitter=1)

        [job] = scheduler.jobs
        assert ("allow", 0.0) == (job.options.overlap, job.options.catch_up)


async def test_a_max_late_beyond_the_stores_memory_is_refused() -> None:
    """A claim must be remembered for as long as a late instance could repeat it."""
    backend = MemoryBackend(leases=False, remembers=100)
    async with open_scheduler(backend, start=False, max_late=50) as scheduler:
        with pytest.raises(InvalidOption) as caught:
            scheduler.every("sync", "1m", nothing, max_late=51)

        assert [] == words(["'sync'", "max_late=51 s", "100 s", "half"], caught.value)


@pytest.mark.parametrize("limit", [0, -1, 2.5, "10", True, None])
async def test_a_bad_limit_of_history_is_refused(limit: object) -> None:
    """Whether the scheduler runs or not."""
    async with open_scheduler("memory://") as scheduler:
        with pytest.raises(InvalidOption, match="limit must be a whole number from 1"):
            await scheduler.history("sync", limit=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", 7, "a\ud800", "x" * 201])
async def test_a_name_that_no_job_can_have_has_no_history(name: object) -> None:
    """It is the call that is wrong, and not the store that can't be read."""
    async with open_scheduler("memory://", start=False) as scheduler:
        with pytest.raises(InvalidOption, match="a job's name must"):
            await scheduler.history(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [-1, "soon", float("nan"), True])
async def test_a_bad_timeout_of_stop_is_refused(given: object) -> None:
    """The scheduler goes on as if nothing had been asked."""
    async with open_scheduler("memory://") as scheduler:
        with pytest.raises(InvalidOption, match="timeout must be a duration of 0 or"):
            await scheduler.stop(timeout=given)  # type: ignore[arg-type]

        assert "running" == scheduler.state


async def test_serve_needs_a_started_scheduler() -> None:
    """There would be nothing to stop."""
    async with open_scheduler("memory://", start=False) as scheduler:
        with pytest.raises(SchedulerNotRunning, match="start the scheduler before"):
            await scheduler.serve()


def test_serve_off_the_main_thread_says_what_to_do() -> None:
    """Signals reach the main thread alone."""
    raised: list[BaseException] = []

    async def serve() -> None:
        async with open_scheduler("memory://") as scheduler:
            await scheduler.serve()

    def run() -> None:
        try:
            anyio.run(serve)
        except BaseException as error:  # noqa: BLE001  handed to the main thread
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    [error] = raised
    assert isinstance(error, RuntimeError)
    assert [] == words(["main thread", "serve(signals=())"], error)


async def test_a_server_that_is_too_old_is_named_with_what_is_needed() -> None:
    """The backend's own words come out of start unchanged."""

    class Old(MemoryBackend):
        def open(self) -> object:  # type: ignore[override]
            raise BackendTooOld("the server is version 6.0, needed is 7.0")

    with pytest.raises(BackendTooOld, match=r"6\.0, needed is 7\.0"):
        async with open_scheduler(Old()):  # type: ignore[arg-type]
            raise AssertionError("opened")


def test_a_bad_option_leaves_the_registry_as_it_was() -> None:
    """A job that was refused isn't there, and its name is free."""
    jobs = Jobs()
    with pytest.raises(InvalidOption):
        jobs.every("sync", "1m", nothing, lease=-1)
    jobs.every("sync", "1m", nothing)

    assert ["sync"] == [job.name for job in jobs]


def test_the_values_of_a_schedule_are_checked_outside_a_job_too() -> None:
    """``Every`` and ``Cron`` refuse on their own."""
    with pytest.raises(InvalidSchedule, match="period"):
        Every(0)
    with pytest.raises(InvalidSchedule, match="minute"):
        Cron("60 * * * *")
