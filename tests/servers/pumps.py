"""One connection through a proxy: two pumps, each in a thread.

Decides how bytes move and how a connection ends. Must not know why a chunk is dropped.
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from enum import StrEnum
from typing import assert_never

CHUNK = 65_536
CONNECTS_WITHIN, ENDS_WITHIN = 5.0, 10.0


class Way(StrEnum):
    """Which way a chunk of bytes goes."""

    REQUEST = "request"
    REPLY = "reply"


class Fate(StrEnum):
    """What becomes of a chunk."""

    PASS = "pass"
    SWALLOW = "swallow"
    CUT = "cut"


class Connection:
    """A client and the server that it wanted; ``decide`` is asked about each chunk."""

    def __init__(
        self,
        client: socket.socket,
        target: tuple[str, int],
        decide: Callable[["Connection", Way, bytes], Fate],
    ) -> None:
        self.doomed = False
        self.lost_bytes = False
        self.stranded = False
        self._client = client
        self._target = target
        self._decide = decide
        self._server = socket.socket()
        self._thread = threading.Thread(target=self._live)

    def start(self) -> None:
        """Connect to the server and move bytes, in the background."""
        self._thread.start()

    def cut(self) -> None:
        """Close both ends; the pumps notice."""
        for end in (self._client, self._server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join(ENDS_WITHIN)
        assert not self._thread.is_alive(), "a connection didn't end once it was cut"

    @property
    def ended(self) -> bool:
        """Whether both ends are closed."""
        return not self._thread.is_alive()

    def _live(self) -> None:
        with self._client, self._server, contextlib.suppress(OSError):
            for end in (self._client, self._server):
                # else small chunks wait for others
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._server.settimeout(CONNECTS_WITHIN)
            self._server.connect(self._target)
            self._server.settimeout(None)
            replies = threading.Thread(target=self._pump, args=(Way.REPLY,))
            replies.start()
            self._pump(Way.REQUEST)
            replies.join()

    def _pump(self, way: Way) -> None:
        ends = (self._client, self._server)
        source, target = ends if way is Way.REQUEST else reversed(ends)
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if not self._move(data, way, target):
                    break
        self.cut()

    def _move(self, data: bytes, way: Way, target: socket.socket) -> bool:
        """Do what was decided; return whether the connection goes on."""
        match fate := self._decide(self, way, data):
            case Fate.PASS:
                target.sendall(data)
            case Fate.SWALLOW | Fate.CUT:
                self.lost_bytes = True
            case _:
                assert_never(fate)
        return fate is not Fate.CUT
