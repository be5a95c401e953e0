"""However a handler ends, its run has the right ending and nothing else is hurt."""

import traceback
from collections.abc import Awaitable, Callable

import anyio
import pytest

from anarchon import RunContext
from anarchon.events import Failure, Interrupted, RunEvent, Start, Success
from anarchon.model import Reason, Status
from anarchon.testing.clocks import EPOCH
from tests.alone import open_alone

pytestmark = pytest.mark.anyio

SLOT = round((EPOCH + 60) * 1000)
TWO_MINUTES = 130.0


class StopEverything(BaseException):
    """An error that most code would not catch."""


async def raises_value_error() -> None:
    """Fail in the ordinary way."""
    raise ValueError("no customers")


async def raises_base_exception() -> None:
    """Fail with what ``except Exception`` would miss."""
    raise StopEverything("now")


async def raises_a_group() -> None:
    """Fail in two ways at once."""
    raise BaseExceptionGroup("both", [ValueError("one"), StopEverything("two")])


async def fails_in_its_own_nursery() -> None:
    """Let a task of its own fail while others go on."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.sleep, 60)
        tasks.start_soon(raises_value_error)


async def raises_a_foreign_cancellation() -> None:
    """End with a cancellation that nobody asked for."""
    kept: BaseException = AssertionError("was not cancelled")
    with anyio.CancelScope() as scope:
        scope.cancel()
        try:
            await anyio.sleep(1)
        except anyio.get_cancelled_exc_class() as cancelled:
            kept = cancelled
    raise kept


async def exits_a_generator() -> None:
    """Fail with what closes generators."""
    raise GeneratorExit


ENDS = {
    raises_value_error: "ValueError: no customers",
    raises_base_exception: "StopEverything: now",
    raises_a_group: "both (2 sub-exceptions) [ValueError: one; StopEverything: two]",
    fails_in_its_own_nursery: "[ValueError: no customers]",
    raises_a_foreign_cancellation: "nobody had asked for it",
    exits_a_generator: "GeneratorExit",
}


@pytest.mark.parametrize(("handler", "error"), ENDS.items())
@pytest.mark.parametrize("leases", [True, False])
async def test_a_handler_that_raises_fails_its_run_and_nothing_else(
    handler: Callable[[], Awaitable[None]], error: str, leases: bool
) -> None:
    """Whatever a handler raises is a failure of that run; the next slot runs."""
    async with open_alone(leases=leases) as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure, 2, within=TWO_MINUTES)

        assert error in (failure.record.error or "")
        assert ["start", "failure"] * 2 == alone.names()
        assert [Status.FAILED] * 2 == await alone.statuses()


async def test_an_error_is_kept_as_capped_text() -> None:
    """A record holds at most 2,000 characters of what was raised."""

    async def verbose() -> None:
        raise ValueError("x" * 10_000)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", verbose)
        await alone.until_seen(Failure)

        [record] = await alone.history()
        assert record.error is not None
        assert record.error.startswith("ValueError: xxx")
        assert 2_000 == len(record.error)


async def test_an_error_without_a_text_is_still_recorded() -> None:
    """An exception whose ``str`` raises fails its run like any other."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def handler() -> None:
        raise Mute

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure)

        assert "Mute: (its text could not be made)" == failure.record.error


async def test_an_error_without_words_is_told_by_its_kind() -> None:
    """A bare ``assert`` leaves no colon behind which nothing comes."""

    async def handler() -> None:
        raise AssertionError

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        failure = await alone.until_seen(Failure)

        assert "AssertionError" == failure.record.error


async def test_a_failure_carries_what_was_raised() -> None:
    """The exception itself, whose traceback ends in the handler; not for a timeout."""

    async def slow() -> None:
        await anyio.sleep(40)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", raises_value_error)
        raised = (await alone.until_seen(Failure)).exception
        assert isinstance(raised, ValueError)
        assert (
            "raises_value_error" == traceback.extract_tb(raised.__traceback__)[-1].name
        )

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", slow, timeout=10)
        assert (await alone.until_seen(Failure)).exception is None


async def test_a_handler_learns_all_about_its_run() -> None:
    """The context tells which attempt of which run this is, and why."""
    seen: list[RunContext] = []

    async def handler(ctx: RunContext) -> None:
        assert (False, None) == (ctx.stopping, ctx.cancel_reason)
        seen.append(ctx)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Success)

    [ctx] = seen
    assert ("sync", SLOT, 1, "A") == (ctx.job, ctx.slot, ctx.attempt, ctx.instance_id)
    assert Reason.SCHEDULED == ctx.reason
    assert SLOT == ctx.scheduled_at.timestamp() * 1000
    assert (SLOT, 1) == ctx.fence
    assert 32 == len(ctx.token)


@pytest.mark.parametrize("leases", [True, False])
async def test_runs_that_may_overlap_have_no_fence(leases: bool) -> None:
    """Without the overlap rule the pair would not grow, so it isn't given."""
    fences: list[object] = []

    async def handler(ctx: RunContext) -> None:
        fences.append(ctx.fence)

    async with open_alone(leases=leases, overlap="allow") as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Success)

    assert [None] == fences


async def test_a_timeout_fails_the_run() -> None:
    """A handler that runs past its timeout is cancelled, and the run has failed."""
    reasons: list[object] = []

    async def handler(ctx: RunContext) -> None:
        try:
            await anyio.sleep(40)
        finally:
            reasons.append(ctx.cancel_reason)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=10)
        failure = await alone.until_seen(Failure)

        assert "timed out after 10 s" == failure.record.error
        assert 10.0 == failure.record.duration
        assert ["timeout"] == reasons
        assert [Status.FAILED] == await alone.statuses()


@pytest.mark.parametrize("end", ["return", "raise"])
async def test_a_timeout_stays_one_however_the_handler_ends(end: str) -> None:
    """What a handler does with its timeout's cancellation doesn't change the ending."""

    async def handler() -> None:
        try:
            await anyio.sleep(40)
        except anyio.get_cancelled_exc_class():
            if end == "raise":
                raise ValueError("in clean-up") from None

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler, timeout=10)
        failure = await alone.until_seen(Failure)

    assert "timed out after 10 s" == failure.record.error


async def test_a_handler_may_use_scopes_and_groups_of_its_own() -> None:
    """A handler's own cancellations stay its own."""

    async def handler() -> None:
        with anyio.move_on_after(5):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(anyio.sleep_forever)

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        success = await alone.until_seen(Success)

        assert 5.0 == success.record.duration


ENDINGS = {"returns": Success, "raises": Interrupted}


@pytest.mark.parametrize(("end", "kind"), ENDINGS.items())
async def test_what_a_handler_does_with_a_stop_decides(
    end: str, kind: type[RunEvent]
) -> None:
    """A handler that returns after a stop succeeded; one that raises is interrupted."""

    async def handler() -> None:
        try:
            await anyio.sleep(40)
        except anyio.get_cancelled_exc_class():
            if end == "raises":
                raise ValueError("not done") from None

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()

        assert ["start", kind.name] == alone.names()
        assert [kind.name] == await alone.statuses()


async def test_a_stopped_run_tells_the_handler_why_and_is_handed_over() -> None:
    """The first cause is seen in the handler, and the record says handed over."""
    reasons: list[object] = []

    async def handler(ctx: RunContext) -> None:
        try:
            await anyio.sleep(40)
        finally:
            reasons.append((ctx.stopping, ctx.cancel_reason))

    async with open_alone() as alone:
        alone.scheduler.every("sync", "1m", handler)
        await alone.until_seen(Start)
        await alone.scheduler.stop()

        [interrupted] = alone.seen(Interrupted)
        [record] = await alone.history()
        assert [(True, "stop")] == reasons
        assert (True, False) == (interrupted.handed_over, interrupted.final)
        assert record.handed_over
        assert Status.INTERRUPTED == record.status
