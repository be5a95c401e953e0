"""A real server on the loopback: started, stopped, killed, frozen and restarted.

Decides how its process is held, and that no wait is without a deadline. Must not know
which server it is.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tests.servers.leash import LEASH
from tests.servers.ports import free_port
from tests.servers.trees import freeze_tree, kill_tree, thaw_tree
from tests.servers.users import MYSELF, User
from tests.servers.waits import wait_until

TAIL = 2_000


class Server(ABC):
    """A server of its own on a free port, with its data in a folder of its own.

    Entering the block starts it; leaving ends it and removes the folder. The port and
    the data stay the same through every stop, kill and restart in between.
    """

    host = "127.0.0.1"
    starts_within: ClassVar[float] = 30.0
    stops_within: ClassVar[float] = 15.0
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, name: str, version: str, *, user: User = MYSELF) -> None:
        self.name = name
        self.version = version
        self.port = free_port()
        self.user = user
        self.folder = self._new_folder()
        self.log = self.folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._deeds = threading.RLock()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{self.name} {self.version} at {self.host}:{self.port}>"

    # --- what each server decides -----------------------------------------------------

    @abstractmethod
    def url_at(self, port: int) -> str:
        """Return its URL if it were reached at that port, through a proxy say."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that runs it in the foreground."""

    @abstractmethod
    def answers(self) -> bool:
        """Ask it something; an OSError is a no as well."""

    def prepare(self) -> None:  # noqa: B027  # most have nothing to prepare
        """Make its data before the first start."""

    def environment(self) -> dict[str, str]:
        """Return the environment of its process."""
        return dict(os.environ)

    # --- what is done to it -----------------------------------------------------------

    @property
    def url(self) -> str:
        """The URL that a backend takes, with its password."""
        return self.url_at(self.port)

    @property
    def running(self) -> bool:
        """Whether its process is there, frozen or not."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None, f"{self} was not started"
        return self._process.pid

    def start(self) -> None:
        """Start it and return once it answers."""
        with self._deeds:
            assert not self.running, f"{self} is running"
            if self._process is None:
                self.prepare()
            self._process = self.spawn(self.command())
            self.wait_until_answers()

    def wait_until_answers(self) -> None:
        """Return once it answers; raise TimeoutError with the end of its log."""
        wait_until(
            self._answers_or_ended, self.starts_within, lambda: self._tell("no answer")
        )

    def stop(self) -> None:
        """End it in good order, as its service manager would, and wait for the end."""
        with self._deeds:
            if self.running:
                self.thaw()
                os.kill(self.pid, self.stop_signal)
                self._until_ended()

    def kill(self) -> None:
        """End it at once by SIGKILL, with all its children, and wait for the end."""
        with self._deeds:
            if self.running:
                kill_tree(self.pid)
                self._until_ended()

    def freeze(self) -> None:
        """Let it stand still, with all its children; it does when this returns."""
        freeze_tree(self.pid)

    def thaw(self) -> None:
        """Let it go on from where it was frozen."""
        thaw_tree(self.pid)

    def restart(self, down: float = 0.0, *, graceful: bool = False) -> None:
        """Kill or stop it, and start it again on its port and data.

        It is away for ``down`` seconds and the time that its start takes.
        """
        (self.stop if graceful else self.kill)()
        time.sleep(down)
        self.start()

    def close(self) -> None:
        """End it, whatever it does, and remove its folder."""
        with contextlib.suppress(TimeoutError):
            self.stop()
        self.kill()
        shutil.rmtree(self.folder)

    # --- for those who know which server it is ----------------------------------------

    def spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        """Start a process of this server, which writes to its log."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=self.user.uid,
                group=self.user.gid,
                extra_groups=self.user.groups,
            )
        LEASH.hold_process(process.pid)
        return process

    def call(self, command: list[str]) -> None:
        """Run a command that ends by itself, as this server would."""
        status = self.spawn(command).wait(self.starts_within)
        assert status == 0, self._tell(f"{command[0]} ended with {status}")

    def own_file(self, name: str, text: str) -> Path:
        """Write a file that only this server may read."""
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_text(text)
        self.user.own(path)
        return path

    # --- inside -----------------------------------------------------------------------

    def _new_folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=f"anarchon-{self.name}-"))
        LEASH.hold_folder(folder)
        self.user.own(folder)
        return folder

    def _answers_or_ended(self) -> bool:
        assert self.running, self._tell("ended at its start")
        try:
            return self.answers()
        except OSError:
            return False

    def _until_ended(self) -> None:
        wait_until(
            lambda: not self.running, self.stops_within, lambda: self._tell("goes on")
        )

    def _tell(self, what: str) -> str:
        tail = self.log.read_text(errors="replace")[-TAIL:]
        return f"{self}: {what}; its log ends:\n{tail}"
