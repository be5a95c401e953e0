"""A race of five processes with ten claimers each, two of which are killed on the way.

Decides how the processes are started, killed and waited for. Must not know what a
store is, nor who should have won.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.pages import ROOT
from tests.servers.waits import wait_until
from tests.stores.claimer import CLAIMERS, Setup
from tests.stores.race_journal import Line, count_asked, read_lines

SLOTS = 500
SOON = 100
LOOPS = {"A": "trio", "B": "asyncio", "C": "trio", "D": "asyncio", "E": "trio"}
# one dies by its own hand as soon as it wins, the other is killed wherever it is
DIES, KILLED = "A", "B"
COMMAND = [sys.executable, "-m", "tests.stores.claimer"]
ENDS_WITHIN = 120.0


class Race:
    """The processes; entering the block starts them, leaving it ends them all."""

    def __init__(self, folder: Path, url: str, stores: int, step: int) -> None:
        self.slots = range(0)
        self._folder = folder
        self._url = url
        self._stores = stores
        self._step = step
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        try:
            for who in LOOPS:
                self._start(who)
            for who in LOOPS:
                self._wait_until_ready(who)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    # --- what happens -----------------------------------------------------------------

    def begin(self) -> None:
        """Let all of them claim slots from a moment to come on."""
        first = round(time.time() * 1000) + SOON
        self.slots = range(first, first + SLOTS * self._step, self._step)
        for process in self._processes.values():
            assert process.stdin is not None
            process.stdin.write(f"{first}\n")
            process.stdin.flush()

    def until_asked(self, part: float) -> None:
        """Wait until who is killed in the end has asked for this part of the slots."""
        path, process = self._journal(KILLED), self._processes[KILLED]

        def has_asked() -> bool:
            assert process.poll() is None, self.complaints()
            return count_asked(path) >= part * SLOTS * CLAIMERS

        wait_until(has_asked, ENDS_WITHIN, self.complaints)

    def kill(self) -> None:
        """Kill one of them."""
        self._processes[KILLED].kill()

    def until_ended(self) -> dict[str, int]:
        """Wait until all have ended; return how each did."""
        end = time.monotonic() + ENDS_WITHIN
        return {
            who: process.wait(end - time.monotonic())
            for who, process in self._processes.items()
        }

    # --- what is left of it -----------------------------------------------------------

    def lines(self, of: Sequence[str] = tuple(LOOPS)) -> list[Line]:
        """Return what these processes wrote down, or all of them."""
        return [line for who in of for line in read_lines(self._journal(who))]

    def complaints(self) -> str:
        """Return what the processes wrote on standard error."""
        return "".join(self._errors(who).read_text() for who in LOOPS)

    # --- inside -----------------------------------------------------------------------

    def _start(self, who: str) -> None:
        self._journal(who).touch()
        with self._errors(who).open("w") as errors:
            process = subprocess.Popen(
                COMMAND,
                cwd=ROOT,
                env={**os.environ, "PYTHONWARNINGS": "error"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._stack.callback(_end, process)
        self._processes[who] = process
        assert process.stdin is not None
        process.stdin.write(self._setup(who).to_line())
        process.stdin.flush()

    def _setup(self, who: str) -> Setup:
        return Setup(
            who=who,
            loop=LOOPS[who],
            url=self._url,
            stores=self._stores,
            journal=str(self._journal(who)),
            slots=SLOTS,
            step=self._step,
            dies_at=SLOTS // 10 if who == DIES else None,
        )

    def _wait_until_ready(self, who: str) -> None:
        stdout = self._processes[who].stdout
        assert stdout is not None
        assert "ready\n" == stdout.readline(), self.complaints()

    def _journal(self, who: str) -> Path:
        return self._folder / f"journal-{who}"

    def _errors(self, who: str) -> Path:
        return self._folder / f"errors-{who}"

    def _close(self) -> None:
        self._stack.close()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
