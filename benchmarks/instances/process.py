"""Instances as processes of their own: started, watched, killed, stopped and frozen.

Decides how they are held, and that nothing is waited for without a limit. Must not know
which program runs in them, only that it says ``ready`` and keeps a log of its runs.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.instances.marks import Mark, Marks
from benchmarks.processor import Spent, on_processor
from tests.servers.leash import LEASH

ROOT = Path(__file__).parents[2]
PAUSE = 0.05
READY_WITHIN = 60.0
ENDS_WITHIN = 10.0
TAIL = 2_000


class Instance:
    """One process, and what is done to it; each deed returns the wall time before it.

    That is in seconds since 1970 UTC.
    """

    def __init__(self, command: Sequence[str], output: Path) -> None:
        self.doomed = False
        self._command = command
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(  # noqa: S603  # a command of our own
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid
        # nothing outlives the benchmark, not even if that is killed
        LEASH.hold_process(self.pid)

    def __repr__(self) -> str:
        return f"<instance {self.pid}: {' '.join(self._command)}>"

    @property
    def running(self) -> bool:
        """Whether it is there, frozen or not."""
        return self._process.poll() is None

    @property
    def ready(self) -> bool:
        """Whether it has said that it is up."""
        return b"ready" in self._output.read_bytes().splitlines()

    def kill(self) -> float:
        """End it at once, by SIGKILL, and wait until it is gone."""
        self.doomed = True
        at = self._signal(signal.SIGKILL)
        self._process.wait(ENDS_WITHIN)
        return at

    def stop(self) -> float:
        """Ask it to stop, by SIGTERM, and don't wait."""
        self.doomed = True
        return self._signal(signal.SIGTERM)

    def freeze(self) -> float:
        """Let it stand still, by SIGSTOP."""
        return self._signal(signal.SIGSTOP)

    def thaw(self) -> float:
        """Let it go on, by SIGCONT."""
        return self._signal(signal.SIGCONT)

    def ended(self, within: float = ENDS_WITHIN) -> bool:
        """Wait until it has ended, no longer than that; return whether it has."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return not self.running

    def complain(self, what: str) -> RuntimeError:
        """Return an error that shows the end of what it has printed."""
        tail = self._output.read_text(errors="replace")[-TAIL:]
        return RuntimeError(f"{self} {what}; it printed:\n{tail}")

    def _signal(self, number: signal.Signals) -> float:
        at = time.time()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)
        return at


class Instances:
    """Instances of one program, which write to one log; leaving the block ends all.

    The command is that of the program and its options; ``--log`` and ``--instance``,
    which counts from 0, are added for each.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._folder = Path(tempfile.mkdtemp(prefix="anarchon-instances-"))
        LEASH.hold_folder(self._folder)
        self._marks = Marks(self._folder / "log")
        self.all: list[Instance] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def start(self, count: int = 1) -> list[Instance]:
        """Start so many more and return them once all are ready."""
        new = [self._launch() for _ in range(count)]
        self._wait(lambda: all(instance.ready for instance in new), READY_WITHIN)
        for instance in new:
            if not instance.ready:
                raise instance.complain(f"isn't ready within {READY_WITHIN:g} s")
        return new

    def stop(self) -> None:
        """Ask all of them to stop, and kill those that don't soon."""
        for instance in self.all:
            instance.stop()
        for instance in self.all:
            if not instance.ended():
                instance.kill()

    def of(self, mark: Mark) -> Instance:
        """Return the instance that made this mark."""
        return next(instance for instance in self.all if instance.pid == mark.pid)

    def marks(self) -> Sequence[Mark]:
        """Return what all of them have logged so far, in the order of the log."""
        return self._marks.read()

    def until(
        self, seen: Callable[[Sequence[Mark]], bool], within: float
    ) -> Sequence[Mark]:
        """Return all marks as soon as this is true of them, or that many seconds later.

        Whether it ever became true is for the caller to find out: some programs never
        get there, and that is a result as well.
        """
        self._wait(lambda: seen(self.marks()), within)
        return self.marks()

    def on_processor(self) -> Spent:
        """Return for how long all that are there have been on a processor."""
        return on_processor(each.pid for each in self.all if each.running)

    def _launch(self) -> Instance:
        number = len(self.all)
        log = ["--log", str(self._folder / "log"), "--instance", str(number)]
        command = [*self._command, *log]
        instance = Instance(command, self._folder / f"output-{number}")
        self.all.append(instance)
        return instance

    def _wait(self, condition: Callable[[], bool], within: float) -> None:
        end = time.monotonic() + within
        while not condition() and time.monotonic() < end:
            for instance in self.all:
                if not instance.running and not instance.doomed:
                    raise instance.complain("has ended by itself")
            time.sleep(PAUSE)
