"""A TCP proxy that loses replies, falls silent or refuses, when it is told to.

Decides what becomes of requests and replies. Must not know what they mean.
"""

import contextlib
import socket
import threading
from enum import StrEnum
from types import TracebackType
from typing import Self, assert_never

from tests.servers.ports import free_port
from tests.servers.pumps import ENDS_WITHIN, Connection, Fate, Way

HOST = "127.0.0.1"


class Mode(StrEnum):
    """How the way between clients and the server is."""

    OPEN = "open"
    NO_REPLIES = "no replies"
    SILENT = "silent"
    REFUSED = "refused"


class Proxy:
    """Stands on ``port`` before a server; entering the block opens it.

    Whatever is told to it holds at once, for connections that are there too. It counts
    the ``connections`` that were ever made.
    """

    def __init__(self, target_port: int) -> None:
        self.port = free_port()
        self.connections = 0
        self._target = (HOST, target_port)
        self._mode = Mode.OPEN
        self._trap = b""
        self._traps = 0
        self._living: list[Connection] = []
        self._listener: tuple[socket.socket, threading.Thread] | None = None
        # held while a mode changes, so that no chunk is judged by two of them
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        self._listen()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.refuse()

    @property
    def open(self) -> int:
        """How many connections there are now."""
        with self._lock:
            return sum(not connection.ended for connection in self._living)

    # --- faults -----------------------------------------------------------------------

    def cut(self) -> None:
        """Close every connection that is there now; new ones are welcome."""
        with self._lock:
            living, self._living = self._living, []
        _end(living)

    def drop_replies(self) -> None:
        """Deliver what clients send from now on, and swallow what the server answers.

        Connections stay open, until ``cut`` or ``heal``.
        """
        self._mode = Mode.NO_REPLIES

    def blackhole(self) -> None:
        """Swallow everything from now on; connections stay open, new ones too."""
        self._mode = Mode.SILENT

    def strand(self) -> None:
        """Swallow everything of the connections that are there now; new ones pass.

        It is how a connection ends that a router between both has forgotten.
        """
        with self._lock:
            for connection in self._living:
                connection.stranded = True

    def refuse(self) -> None:
        """Close every connection, and take none from now on."""
        self._mode = Mode.REFUSED
        self._stop_listening()
        self.cut()

    def cut_next_reply(self, containing: bytes = b"", times: int = 1) -> None:
        """Swallow the reply to the next request that contains this, or to so many.

        The request is delivered. As soon as the server has answered on that connection,
        which it does after it has acted, the connection is closed.
        """
        with self._lock:
            self._trap, self._traps = containing, times

    def redirect(self, target_port: int) -> None:
        """Lead new connections to another server; those that are there stay."""
        self._target = (HOST, target_port)

    def heal(self) -> None:
        """Let everything pass again; close the connections that have lost bytes."""
        with self._lock:
            self._mode, self._traps = Mode.OPEN, 0
            broken = [one for one in self._living if one.lost_bytes]
            self._living = [one for one in self._living if one not in broken]
        _end(broken)
        if self._listener is None:
            self._listen()

    # --- what becomes of a chunk ------------------------------------------------------

    def _decide(self, connection: Connection, way: Way, data: bytes) -> Fate:
        with self._lock:
            if connection.stranded:
                return Fate.SWALLOW
            return self._by_trap(connection, way, data) or self._by_mode(way)

    def _by_trap(self, connection: Connection, way: Way, data: bytes) -> Fate | None:
        if way is Way.REPLY:
            return Fate.CUT if connection.doomed else None
        if self._traps and not connection.doomed and self._trap in data:
            self._traps -= 1
            connection.doomed = True
        return None

    def _by_mode(self, way: Way) -> Fate:
        match self._mode:
            case Mode.OPEN:
                return Fate.PASS
            case Mode.NO_REPLIES:
                return Fate.PASS if way is Way.REQUEST else Fate.SWALLOW
            case Mode.SILENT:
                return Fate.SWALLOW
            case Mode.REFUSED:
                return Fate.CUT
            case _:
                assert_never(self._mode)

    # --- connections ------------------------------------------------------------------

    def _listen(self) -> None:
        listener = socket.create_server((HOST, self.port))
        thread = threading.Thread(target=self._accept_all, args=(listener,))
        self._listener = (listener, thread)
        thread.start()

    def _stop_listening(self) -> None:
        if self._listener is None:
            return
        (listener, thread), self._listener = self._listener, None
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join(ENDS_WITHIN)
        assert not thread.is_alive(), "the proxy goes on listening"
        listener.close()

    def _accept_all(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._welcome(listener.accept()[0])

    def _welcome(self, client: socket.socket) -> None:
        connection = Connection(client, self._target, self._decide)
        with self._lock:
            self.connections += 1
            self._living = [one for one in self._living if not one.ended]
            self._living.append(connection)
            connection.start()


def _end(connections: list[Connection]) -> None:
    for connection in connections:
        connection.cut()
    for connection in connections:
        connection.join()
