"""Signals to a process in the middle of a run: Ctrl+C, SIGTERM, and a second one."""

import signal
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager

import anyio
import pytest

from anarchon import open_scheduler
from anarchon.model import State
from tests.pages import ROOT
from tests.programs import started, wait_for

loops = pytest.mark.parametrize("loop", ["asyncio", "trio"])


@contextmanager
def a_run(loop: str, body: str, handler: str) -> Generator[subprocess.Popen[str]]:
    """Start the program and wait until its handler is at work."""
    app = ("-m", "tests.failures.app", loop, body, handler)
    with started(*app, folder=ROOT) as process:
        wait_for(process, "start")
        yield process


def end(process: subprocess.Popen[str]) -> list[str]:
    """Wait for the program's end; return what else it printed."""
    output, _ = process.communicate(timeout=10)
    return output.splitlines()


@loops
@pytest.mark.parametrize("handler", ["sleeps", "computes"])
def test_ctrl_c_hands_over_and_ends_the_program(loop: str, handler: str) -> None:
    """The run is handed over; then it is an interrupt like any other, in no group."""
    with a_run(loop, "wait", handler) as process:
        process.send_signal(signal.SIGINT)
        lines = end(process)

    assert "interrupted handed over" == lines[0]
    assert "left" not in lines
    assert "KeyboardInterrupt" == lines[-1].split(":")[0]
    assert not any("ExceptionGroup" in line for line in lines)
    assert -signal.SIGINT == process.returncode


@loops
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_stops_gracefully_at_a_signal(loop: str, number: signal.Signals) -> None:
    """The run is handed over, serve returns, the program ends by itself."""
    with a_run(loop, "serve", "sleeps") as process:
        process.send_signal(number)
        lines = end(process)

    assert ["interrupted handed over", "served", "left"] == lines
    assert 0 == process.returncode


@loops
def test_serve_waits_for_a_handler_that_cleans_up(loop: str) -> None:
    """One signal gives it the stop timeout."""
    with a_run(loop, "serve", "cleans up") as process:
        process.send_signal(signal.SIGTERM)
        lines = end(process)

    assert ["cleaned up", "interrupted handed over", "served", "left"] == lines


@loops
def test_a_second_signal_waits_for_nothing(loop: str) -> None:
    """Serve returns at once, the run is left to its lease; the block still waits."""
    with a_run(loop, "serve", "cleans up") as process:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        lines = end(process)

    assert ["served", "cleaned up", "interrupted left", "left"] == lines
    assert 0 == process.returncode


@pytest.mark.anyio
async def test_serve_returns_when_somebody_else_stops() -> None:
    """Without any signal too; and the process gets its own handlers back."""
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    async with (
        open_scheduler("memory://") as scheduler,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(scheduler.stop)
        with anyio.fail_after(5):
            await scheduler.serve()
    after = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    assert before == after


@pytest.mark.anyio
@pytest.mark.parametrize("signals", [(), (signal.SIGTERM,)])
async def test_serve_cancelled_leaves_the_scheduler_running(
    signals: tuple[signal.Signals, ...],
) -> None:
    """Leaving the block is what stops it then."""
    async with open_scheduler("memory://") as scheduler:
        with anyio.move_on_after(0.01) as scope:
            await scheduler.serve(signals)

        assert scope.cancelled_caught
        assert State.RUNNING == scheduler.state


@loops
def test_serve_without_signals_works_in_any_thread(loop: str) -> None:
    """Somebody else has to stop it."""
    states: list[State] = []

    async def main() -> None:
        async with (
            open_scheduler("memory://") as scheduler,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(scheduler.stop)
            await scheduler.serve(signals=())
            states.append(scheduler.state)

    thread = threading.Thread(target=lambda: anyio.run(main, backend=loop))
    thread.start()
    thread.join(5)

    assert [State.IDLE] == states
