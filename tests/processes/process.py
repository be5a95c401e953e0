"""The process of an instance: started, killed, frozen, stopped and heard.

Decides how it is held. Must not know what it is started for.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from tests.pages import ROOT
from tests.processes.file_lock import is_locked
from tests.processes.report import Report
from tests.processes.setup import Setup
from tests.servers.leash import LEASH

COMMAND = [sys.executable, "-m", "tests.processes.instance"]
ENDS_WITHIN = 15.0


class InstanceProcess:
    """A process that reports what happens in it; each deed is reported as well.

    It gets ready for a store with this URL. ``environment`` is what its environment has
    beside or instead of this process's. A deed returns the wall time before it was
    done, in seconds since 1970 UTC.
    """

    def __init__(
        self,
        who: str,
        loop: str,
        store: str,
        log: Path,
        hear: Callable[[Report], None],
        environment: Mapping[str, str],
    ) -> None:
        self.who = who
        self._store = store
        self._hear = hear
        self._doomed = self._begun = False
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                [*COMMAND, who, loop, urlsplit(store).scheme],
                cwd=ROOT,
                env={**os.environ, "PYTHONWARNINGS": "error", **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.pid = self._process.pid
        # one that is frozen notices nothing, the end of whoever started it included
        LEASH.hold_process(self.pid)
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    @property
    def begun(self) -> bool:
        """Whether it was told its setup."""
        return self._begun

    @property
    def failed(self) -> bool:
        """Whether it has ended although nobody meant it to."""
        return not self._doomed and self._process.poll() is not None

    def begin(self, setup: Setup) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        self._begun = True
        self._process.stdin.write(setup.to_line())
        self._process.stdin.flush()

    def kill(self) -> float:
        """End it at once, by SIGKILL."""
        self._doomed = True
        at = self._signal(signal.SIGKILL, "killed")
        self.ended()
        return at

    def stop(self) -> float:
        """Ask it to stop, by SIGTERM."""
        self._doomed = True
        return self._signal(signal.SIGTERM, "stopped")

    def interrupt(self) -> float:
        """Ask it to stop as Ctrl+C does, by SIGINT."""
        self._doomed = True
        return self._signal(signal.SIGINT, "interrupted by Ctrl+C")

    def freeze(self) -> float:
        """Let it stand still, by SIGSTOP; it does when this returns.

        In the middle of a transaction on a file it would keep out all the others.
        """
        at = self._stand_still()
        while is_locked(self._store):
            self.thaw()
            at = self._stand_still()
        return at

    def _stand_still(self) -> float:
        at = self._signal(signal.SIGSTOP, "frozen")
        # WNOWAIT, since Popen must see the end itself
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return at

    def thaw(self) -> float:
        """Let it go on, by SIGCONT."""
        return self._signal(signal.SIGCONT, "thawed")

    def ended(self, within: float = ENDS_WITHIN) -> int:
        """Wait until it has ended and all that it said was heard; return its status."""
        status = self._process.wait(within)
        self._listener.join(ENDS_WITHIN)
        return status

    def close(self) -> None:
        """End it, whatever it does, and let go of it."""
        self._doomed = True
        self._process.kill()
        self.ended()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def _signal(self, number: signal.Signals, deed: str) -> float:
        at = time.time()
        self._hear(Report(who=self.who, pid=self.pid, at=at, what=deed))
        self._process.send_signal(number)
        return at

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._hear(Report.from_line(line))
