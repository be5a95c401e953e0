"""Real processes, one instance each: started, killed, frozen, stopped and heard.

Decides how they are held, and that none outlives the group that it was started in.
Must not know what the instances are started for, nor how anything is shown.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from subprocess import PIPE, STDOUT
from typing import TypeVar

import anyio
from anyio.abc import Process, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream

from anarchon.cli.report import Kind, Report
from anarchon.cli.setup import Setup

T = TypeVar("T")

LONGEST_LINE = 65_536
# seconds that a killed process may take to be gone
GONE_WITHIN = 5.0


class InstanceFailed(Exception):
    """A process ended by itself, or not as it was asked to; the message has why."""


class InstanceProcess:
    """The process of one instance. Each deed is told before it is done."""

    def __init__(
        self, instance_id: str, process: Process, tell: Callable[[Report], None]
    ) -> None:
        self.instance_id = instance_id
        self.pid: int = process.pid
        self._process = process
        self._tell = tell
        self._deed: Kind | None = None
        self._last_word = ""

    def kill(self) -> None:
        """End it at once, by SIGKILL."""
        self._do(Kind.KILLED, signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to stop gracefully, by SIGTERM."""
        self._do(Kind.STOPPED, signal.SIGTERM)

    def freeze(self) -> None:
        """Let it stand still, by SIGSTOP."""
        self._do(Kind.FROZEN, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on, by SIGCONT."""
        self._do(Kind.THAWED, signal.SIGCONT)

    def _do(self, deed: Kind, number: signal.Signals) -> None:
        self._deed = deed
        self.tell(deed)
        self._send(number)

    def _send(self, number: signal.Signals) -> None:
        # the process may have ended a moment ago; that is told next
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def tell(self, kind: Kind, exit_status: int = 0) -> None:
        """Tell something about the process itself."""
        self._tell(
            Report(
                instance_id=self.instance_id,
                at=time.time(),
                kind=kind,
                pid=self.pid,
                exit_status=exit_status,
            )
        )

    async def listen(self) -> None:  # noqa: ASYNC910  a task's body
        """Pass on what it reports until it ends; cancelled, the process is killed."""
        try:
            await self._hear()
            self.tell(Kind.EXITED, await self._process.wait())
        finally:
            deadline = anyio.current_time() + GONE_WITHIN
            with anyio.CancelScope(shield=True, deadline=deadline):
                await self._bury()

    async def _bury(self) -> None:
        # the kill comes first: a process whose pipes are closed may end by itself, and
        # on asyncio two would then wait for its exit status
        if self._process.returncode is None:
            self._send(signal.SIGKILL)
        await self._process.wait()
        await self._process.aclose()

    async def _hear(self) -> None:  # noqa: ASYNC910  as above
        assert self._process.stdout is not None
        lines = BufferedByteReceiveStream(self._process.stdout)
        with contextlib.suppress(anyio.IncompleteRead, anyio.BrokenResourceError):
            while True:
                line = await lines.receive_until(b"\n", LONGEST_LINE)
                report = Report.from_line(line)
                if report is not None:
                    self._tell(report)
                elif line.strip(b" |+-\n"):
                    # a frame round a traceback's last line isn't worth keeping
                    self._last_word = line.decode(errors="replace").strip(" |")

    @property
    def failure(self) -> str | None:
        """Why the process ended although it was not to, as far as it said."""
        status = self._process.returncode
        expected = {Kind.KILLED: -signal.SIGKILL, Kind.STOPPED: 0}
        if status is None or (self._deed and status == expected.get(self._deed)):
            return None
        said = f": {self._last_word}" if self._last_word else ""
        return f"{self.instance_id} ended with status {status}{said}"


class Cluster:
    """The processes that were started in one group; cancelling that kills them all.

    ``tell`` is called with every report, in the order in which they are read.
    """

    def __init__(self, group: TaskGroup, tell: Callable[[Report], None]) -> None:
        self._group = group
        self._listener = tell
        self._changed = anyio.Event()
        self._members: dict[str, InstanceProcess] = {}

    def __getitem__(self, instance_id: str) -> InstanceProcess:
        return self._members[instance_id]

    async def spawn(self, setup: Setup) -> InstanceProcess:
        """Start the process of an instance; it reports ``ready`` once it schedules."""
        command = [
            sys.executable,
            "-P",
            "-m",
            "anarchon.cli.instance",
            setup.to_json(),
        ]
        # in a session of its own, so that a Ctrl+C doesn't reach it
        process = await anyio.open_process(
            command, stdin=PIPE, stdout=PIPE, stderr=STDOUT, start_new_session=True
        )
        member = InstanceProcess(setup.instance_id, process, self._tell)
        self._members[setup.instance_id] = member
        self._group.start_soon(member.listen)
        member.tell(Kind.SPAWNED)
        return member

    async def until(self, reached: Callable[[], T | None]) -> T:
        """Wait until this returns something, asked after each report.

        Raises:
            InstanceFailed: a process ended by itself meanwhile.
        """
        await anyio.lowlevel.checkpoint()
        while (found := reached()) is None:
            self._check()
            await self._changed.wait()
        return found

    def _check(self) -> None:
        for member in self._members.values():
            if failure := member.failure:
                raise InstanceFailed(failure)

    def _tell(self, report: Report) -> None:
        self._listener(report)
        self._changed.set()
        self._changed = anyio.Event()
