"""Bad input to jobs and backends: an error at once, with the value and the rule."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from anarchon import (
    AnarchonError,
    Cron,
    DuplicateJob,
    Every,
    InvalidOption,
    InvalidSchedule,
    Job,
    Jobs,
    MemoryBackend,
    RunContext,
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


def test_a_name_registered_twice_is_refused() -> None:
    """Also in a registry apart from a scheduler."""
    jobs = Jobs()
    jobs.every("sync", "1m", nothing)
    with pytest.raises(DuplicateJob, match="'sync'"):
        jobs.cron("sync", "* * * * *", nothing)


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
