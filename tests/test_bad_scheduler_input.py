"""Bad input to a scheduler: an error at the call that made the mistake."""

import threading

import anyio
import pytest

from anarchon import (
    BackendTooOld,
    DuplicateJob,
    InvalidOption,
    Jobs,
    MemoryBackend,
    SchedulerNotRunning,
    open_scheduler,
)

pytestmark = pytest.mark.anyio


async def nothing() -> None:
    """Do the job's work."""


DURATION = ["must be a duration", "'10s'", "'1h30m'", "timedelta"]


def words(texts: list[str], error: BaseException) -> list[str]:
    """Return those of the texts that the error's message lacks."""
    return [text for text in texts if text not in str(error)]


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
