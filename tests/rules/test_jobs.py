"""Declaring jobs."""

import copy
from collections.abc import Callable

import pytest

import anarchon
from anarchon import Cron, DuplicateJob, Every, InvalidOption, InvalidSchedule
from anarchon.jobs import Job, Jobs


async def _handler(ctx: object) -> None: ...


class _EachMinute:
    """A schedule of the user's own."""

    def next_after(self, ms: int) -> int:
        """Return the next full minute."""
        return ms - ms % 60_000 + 60_000

    def latest_at(self, ms: int) -> int | None:
        """Return this minute's beginning."""
        return ms - ms % 60_000


def test_job_has_what_was_given() -> None:
    """A job shows its name, schedule, handler and effective options."""
    job = Job("sync", Every(10), _handler, timeout="1m", overlap="allow")
    assert ("sync", Every(10), _handler) == (job.name, job.schedule, job.handler)
    assert (60.0, "allow") == (job.options.timeout, job.options.overlap)
    assert {"timeout", "overlap"} == job.explicit
    assert (True, True) == (job.takes_context, job.is_async)
    assert "<Job 'sync': Every(10.0)>" == repr(job)


def test_job_cannot_be_changed() -> None:
    """A job may be shared: nobody can change it."""
    job = Job("sync", Every(10), _handler)
    with pytest.raises(AttributeError):
        job.name = "other"  # type: ignore[misc]


def test_schedulers_options_are_defaults() -> None:
    """A scheduler's options count where the job was given none; the job stays."""
    job = Job("sync", Every(10), _handler, lease=60)
    placed = job.with_defaults({"lease": 45, "jitter": 0})
    assert (60.0, 0.0) == (placed.options.lease, placed.options.jitter)
    assert 2.0 == job.options.jitter
    assert job.explicit == placed.explicit
    assert job.handler is placed.handler


def test_schedulers_options_are_checked_against_the_jobs() -> None:
    """A job that fits no scheduler's defaults is found out when it meets them."""
    job = Job("sync", Every(10), _handler, heartbeat=20)
    assert 20.0 == job.with_defaults({"lease": 60}).options.heartbeat
    with pytest.raises(InvalidOption, match="lease must be at least three times"):
        job.with_defaults({})


@pytest.mark.parametrize("schedule", [None, "10s", 10, Every, object()])
def test_schedule_needs_its_two_methods(schedule: object) -> None:
    """What can't tell its slots isn't a schedule."""
    with pytest.raises(InvalidSchedule, match="next_after and latest_at"):
        Job("sync", schedule, _handler)  # type: ignore[arg-type]


def test_schedule_may_be_anything_with_two_methods() -> None:
    """No base class is needed."""
    assert 60_000 == Job("sync", _EachMinute(), _handler).schedule.next_after(0)


@pytest.mark.parametrize(
    "declare",
    [
        lambda jobs: jobs.every("sync", "10s", _handler),
        lambda jobs: jobs.every("sync", "10s")(_handler),
        lambda jobs: jobs.cron("sync", "@daily", _handler),
        lambda jobs: jobs.cron("sync", "@daily")(_handler),
    ],
    ids=["every", "every as decorator", "cron", "cron as decorator"],
)
def test_declaring_hands_back_the_function(declare: Callable[[Jobs], object]) -> None:
    """Direct or as a decorator, the function comes back untouched, and is a job."""
    jobs = Jobs()
    assert _handler is declare(jobs)
    assert [("sync", _handler)] == [(job.name, job.handler) for job in jobs]


def test_declared_jobs_have_their_schedules_and_options() -> None:
    """``every`` takes an offset, ``cron`` a zone, both the options of a job."""
    jobs = Jobs()
    jobs.every("grid", "1h", _handler, offset="5m", keep=7)
    jobs.cron("dawn", "0 6 * * *", _handler, timezone="Europe/Athens", lease=60)
    grid, dawn = jobs
    assert Every(3600, offset=300) == grid.schedule
    assert Cron("0 6 * * *", timezone="Europe/Athens") == dawn.schedule
    assert (7, 60.0) == (grid.options.keep, dawn.options.lease)


def test_jobs_are_counted_found_and_listed_in_order() -> None:
    """Iteration gives jobs; ``in`` takes a name or a job."""
    jobs = Jobs()
    jobs.every("b", 10, _handler)
    jobs.every("a", 10, _handler)
    first, _ = jobs
    assert ["b", "a"] == [job.name for job in jobs]
    assert 2 == len(jobs)
    assert "a" in jobs
    assert "c" not in jobs
    assert first in jobs
    assert copy.copy(first) not in jobs
    assert "<Jobs: b, a>" == repr(jobs)
    assert "<Jobs: none>" == repr(Jobs())


def test_jobs_may_be_added_while_iterating() -> None:
    """A loop over the jobs sees those that were there when it began."""
    jobs = Jobs()
    jobs.every("a", 10, _handler)
    for job in jobs:
        jobs.every(job.name + "2", 10, _handler)
    assert 2 == len(jobs)


def test_name_is_taken_once() -> None:
    """A second job of a name is refused, whichever way it comes."""
    jobs = Jobs()
    jobs.every("sync", 10, _handler)
    with pytest.raises(DuplicateJob, match="'sync'"):
        jobs.cron("sync", "@daily", _handler)
    with pytest.raises(DuplicateJob, match="'sync'"):
        jobs.add(Job("sync", Every(1), _handler))
    assert [Every(10)] == [job.schedule for job in jobs]


def test_only_jobs_can_be_added() -> None:
    """A function isn't a job yet."""
    with pytest.raises(InvalidOption, match="Job\\(name, schedule, handler\\)"):
        Jobs().add(_handler)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mistake", "problem"),
    [
        (lambda jobs: jobs.every("", 10, _handler), "1 to 200 characters"),
        (lambda jobs: jobs.every("sync", 0, _handler), "period must be"),
        (lambda jobs: jobs.every("sync", -5, _handler), "period must be"),
        (lambda jobs: jobs.every("sync", 10, _handler, offset=-5), "offset must be"),
        (
            lambda jobs: jobs.every("sync", 10, _handler, leese=5),
            "did you mean 'lease'",
        ),
        (lambda jobs: jobs.every("sync", 10, lambda a, b: None), "requires a, b"),
        (lambda jobs: jobs.every("sync", 10, "handler"), "not 'handler'"),
        (lambda jobs: jobs.cron("sync", "61 * * * *", _handler), "minute"),
        (lambda jobs: jobs.cron("sync", "* * * *", _handler), "5 fields"),
        (lambda jobs: jobs.cron("sync", "* * * * *", _handler, timezone="X"), "'X'"),
    ],
)
def test_mistakes_are_told_at_the_call(
    mistake: Callable[[Jobs], object], problem: str
) -> None:
    """Each mistake raises where it was made, as an error of ours and a ValueError."""
    jobs = Jobs()
    with pytest.raises(anarchon.AnarchonError, match=problem) as caught:
        mistake(jobs)
    assert isinstance(caught.value, ValueError)
    assert 0 == len(jobs)


def test_decorator_refuses_a_bad_schedule_before_it_decorates() -> None:
    """The line with the mistake raises, even if no function ever follows."""
    with pytest.raises(InvalidSchedule, match="period must be"):
        Jobs().every("sync", 0)
