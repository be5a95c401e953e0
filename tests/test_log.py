"""The log: what a line says, and that it stays a line."""

import logging
from datetime import UTC, datetime

import pytest

from anarchon import Reason, RunRecord, Status
from anarchon.bus import EventBus
from anarchon.events import Error, Event, Failure, Interrupted, Skip, Success
from anarchon.log import line, logger, write

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def record(status: Status, *, error: str | None = None, on: str = "A") -> RunRecord:
    """Return the record of an attempt that has ended."""
    return RunRecord(
        job="sync",
        slot=7,
        attempt=1,
        status=status,
        reason=Reason.SCHEDULED,
        manual=False,
        instance_id=on,
        started_at=NOW,
        ended_at=NOW,
        duration=1.23456,
        error=error,
    )


def failure(error: str, exception: BaseException | None = None) -> Failure:
    """Return the event of a failed attempt."""
    return Failure(
        instance_id="A",
        at=NOW,
        job="sync",
        slot=7,
        attempt=1,
        record=record(Status.FAILED, error=error),
        exception=exception,
    )


def test_a_line_says_of_a_record_what_the_event_does_not() -> None:
    """How long it took; the rest of the record would be said twice."""
    event = Success(
        instance_id="A",
        at=NOW,
        job="sync",
        slot=7,
        attempt=1,
        record=record(Status.SUCCESS),
    )
    told = "instance_id=A job=sync slot=7 attempt=1 duration=1.235"
    assert f"success {told}" == line(event)


def test_a_line_about_anothers_run_names_its_runner() -> None:
    """Who tells of it and who ran it are two instances."""
    event = Interrupted(
        instance_id="A",
        at=NOW,
        job="sync",
        slot=7,
        attempt=1,
        record=record(Status.INTERRUPTED, on="B"),
        handed_over=False,
        final=True,
    )
    told = "runner=B duration=1.235 handed_over=False final=True"
    assert f"interrupted instance_id=A job=sync slot=7 attempt=1 {told}" == line(event)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("odd", "odd"),
        ("", "''"),
        ("ValueError: odd", "'ValueError: odd'"),
        ("a=b", "'a=b'"),
        ("it's", '"it\'s"'),
        ("one\ntwo", r"'one\ntwo'"),
        ("\udcff", r"'\udcff'"),
    ],
)
def test_a_value_can_not_break_its_line(text: str, written: str) -> None:
    """What holds a space, a sign of the line's own or no visible one is quoted."""
    event = Error(instance_id="A", at=NOW, operation="claim", error=text)
    assert f"error instance_id=A operation=claim error={written}" == line(event)


def test_what_a_handler_raised_is_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log shows where in the handler it was raised; the line stays short."""
    raised = ValueError("odd")
    write(failure("ValueError: odd", raised))

    [logged] = caplog.records
    told = "duration=1.235 error='ValueError: odd'"
    assert f"failure instance_id=A job=sync slot=7 attempt=1 {told}" == logged.message
    assert (ValueError, raised, None) == logged.exc_info


def test_a_timeout_is_logged_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Where the handler was when it was cancelled is not what went wrong."""
    write(failure("timed out after 3 s"))

    [logged] = caplog.records
    assert logging.ERROR == logged.levelno
    assert logged.exc_info is None


class BrokenHandler(logging.Handler):
    """A log handler of the host's that raises whatever it is given."""

    def emit(self, record: logging.LogRecord) -> None:
        """Raise."""
        raise OSError("no space left")


@pytest.mark.anyio
async def test_a_log_that_fails_hurts_nobody() -> None:
    """Every listener behind it hears of the event, and of what a callback raised."""
    handler, heard = BrokenHandler(), list[object]()
    bus, event = EventBus(), failure("odd", ValueError("odd"))
    bus.on("failure", lambda event: 1 / 0)
    bus.on("failure", heard.append)
    logger.addHandler(handler)
    try:
        with bus.stream() as stream:
            bus.emit(event)
            heard.append(stream.receive_nowait())
    finally:
        logger.removeHandler(handler)
    assert [event, event] == heard


def skip(reason: str) -> Skip:
    """Return the event of a slot that wasn't won."""
    return Skip(instance_id="A", at=NOW, job="sync", slot=7, attempt=1, reason=reason)


def error(*, again: bool) -> Error:
    """Return the event of a call that failed."""
    return Error(instance_id="A", at=NOW, operation="claim", error="odd", again=again)


@pytest.mark.parametrize(
    ("event", "level"),
    [
        (skip("taken"), logging.DEBUG),
        (skip("late"), logging.WARNING),
        (error(again=False), logging.ERROR),
        (error(again=True), logging.DEBUG),
    ],
)
def test_what_deserves_attention_stands_out(
    event: Event, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A slot that nobody runs is a warning; an outage isn't told again and again."""
    caplog.set_level(logging.DEBUG, "anarchon")
    write(event)
    assert [level] == [logged.levelno for logged in caplog.records]
