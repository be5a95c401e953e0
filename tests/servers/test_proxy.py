"""The proxy loses what it is told to lose, and nothing else."""

import socket
import socketserver
import threading
from collections.abc import Callable, Generator
from contextlib import closing

import pytest

from tests.servers.ports import free_port
from tests.servers.proxy import Proxy
from tests.servers.waits import PAUSE, wait_until

SOON, LATER = 0.2, 5.0


class Echo(socketserver.ThreadingTCPServer):
    """Answers each line with the same line, and remembers all."""

    daemon_threads = True

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        super().__init__(("127.0.0.1", 0), EchoHandler)

    @property
    def port(self) -> int:
        """Where it is."""
        return int(self.socket.getsockname()[1])

    def hears(self, line: bytes) -> None:
        """Wait until it has heard this."""
        wait_until(
            lambda: line in self.heard, LATER, lambda: f"{line!r} isn't in {self.heard}"
        )


class EchoHandler(socketserver.StreamRequestHandler):
    """One client of the echo."""

    def handle(self) -> None:
        """Answer line by line."""
        assert isinstance(self.server, Echo)
        for line in self.rfile:
            self.server.heard.append(line)
            self.wfile.write(line)


@pytest.fixture
def echo() -> Generator[Echo]:
    """Give a server that answers at once."""
    with Echo() as echo:
        thread = threading.Thread(target=echo.serve_forever, args=(PAUSE,))
        thread.start()
        yield echo
        echo.shutdown()
        thread.join(LATER)


@pytest.fixture
def proxy(echo: Echo) -> Generator[Proxy]:
    """Give a proxy before that server."""
    with Proxy(echo.port) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: Proxy) -> Generator[socket.socket]:
    """Give a connection through the proxy that works."""
    with closing(connect(proxy)) as client:
        yield client


def connect(proxy: Proxy) -> socket.socket:
    """Return a new connection that was answered."""
    client = socket.create_connection(("127.0.0.1", proxy.port), LATER)
    assert b"hello\n" == ask(client, b"hello\n")
    return client


def ask(client: socket.socket, line: bytes) -> bytes:
    """Send a line and return what comes back, nothing if the connection ended."""
    client.sendall(line)
    return hear(client)


def hear(client: socket.socket) -> bytes:
    """Return what comes, nothing if the connection has ended."""
    try:
        return client.recv(100)
    except ConnectionResetError:
        return b""


def hears_nothing(client: socket.socket) -> None:
    """See that the connection stays open, and silent for a while."""
    client.settimeout(SOON)
    with pytest.raises(TimeoutError):
        client.recv(100)
    client.settimeout(LATER)


def test_open_proxy_lets_all_pass(proxy: Proxy, client: socket.socket) -> None:
    """Requests and replies pass unchanged, and their connection is counted."""
    assert b"question\n" == ask(client, b"question\n")
    assert (1, 1) == (proxy.connections, proxy.open)


def test_cut_ends_connections_and_takes_new_ones(
    proxy: Proxy, client: socket.socket
) -> None:
    """A cut closes what is there, and nothing that comes later."""
    proxy.cut()
    assert b"" == hear(client)
    assert 0 == proxy.open
    connect(proxy).close()
    assert 2 == proxy.connections


def test_dropped_replies_leave_requests_alone(
    proxy: Proxy, client: socket.socket, echo: Echo
) -> None:
    """The server acts, its client hears nothing, until the connection is cut."""
    proxy.drop_replies()
    client.sendall(b"question\n")
    echo.hears(b"question\n")
    hears_nothing(client)
    proxy.cut()
    assert b"" == hear(client)


def test_black_hole_swallows_both_ways(
    proxy: Proxy, client: socket.socket, echo: Echo
) -> None:
    """Neither side hears anything, and no connection ends."""
    proxy.blackhole()
    client.sendall(b"question\n")
    hears_nothing(client)
    assert [b"hello\n"] == echo.heard
    assert 1 == proxy.open


@pytest.mark.parametrize("break_it", [Proxy.blackhole, Proxy.drop_replies])
def test_healing_ends_what_has_lost_bytes(
    break_it: Callable[[Proxy], None], proxy: Proxy, client: socket.socket
) -> None:
    """Where bytes are missing the connection ends; others go on."""
    with closing(connect(proxy)) as idle:
        break_it(proxy)
        client.sendall(b"question\n")
        hears_nothing(client)
        proxy.heal()
        assert b"" == hear(client)
        assert b"still here\n" == ask(idle, b"still here\n")


def test_redirected_proxy_leads_new_connections_elsewhere(
    proxy: Proxy, client: socket.socket, echo: Echo
) -> None:
    """Whoever is connected stays with the server that was there before."""
    proxy.redirect(free_port())
    with closing(socket.create_connection(("127.0.0.1", proxy.port), LATER)) as lost:
        assert b"" == hear(lost)
    assert b"question\n" == ask(client, b"question\n")
    proxy.redirect(echo.port)
    connect(proxy).close()


def test_refusing_proxy_looks_like_no_server(
    proxy: Proxy, client: socket.socket
) -> None:
    """Connections end, new ones are refused, until it is healed."""
    proxy.refuse()
    assert b"" == hear(client)
    with pytest.raises(ConnectionRefusedError):
        connect(proxy)
    proxy.heal()
    connect(proxy).close()


def test_next_reply_is_cut_after_the_server_has_acted(
    proxy: Proxy, client: socket.socket, echo: Echo
) -> None:
    """One reply is lost with its connection; the request was heard."""
    with closing(connect(proxy)) as other:
        proxy.cut_next_reply(containing=b"quest")
        assert b"another\n" == ask(other, b"another\n")
        assert b"" == ask(client, b"question\n")
        assert b"question\n" in echo.heard
        assert b"question\n" == ask(other, b"question\n")


def test_next_replies_are_cut_so_many_times(proxy: Proxy, echo: Echo) -> None:
    """Each connection that asks loses one reply, until enough were lost."""
    proxy.cut_next_reply(containing=b"quest", times=2)
    for reply in (b"", b"", b"question\n"):
        with closing(connect(proxy)) as client:
            assert reply == ask(client, b"question\n")
    assert 3 == echo.heard.count(b"question\n")


def test_proxy_passes_on_that_the_server_is_gone() -> None:
    """A connection to a server that isn't there ends at once."""
    with (
        Proxy(free_port()) as proxy,
        socket.create_connection(("127.0.0.1", proxy.port), LATER) as client,
    ):
        assert b"" == hear(client)
