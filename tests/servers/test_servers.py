"""The servers that other tests rely on: each is real, and breaks as it is told to."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.pages import ROOT
from tests.servers import programs
from tests.servers.fleet import KINDS, Fleet
from tests.servers.keeping import keep, kept
from tests.servers.server import Server
from tests.servers.waits import wait_until

SOON, LATER = 0.3, 10.0
VERSIONS = {
    "postgres18": "18.",
    "postgres15": "15.",
    "pgbouncer": "1.",
    "redis8": "8.10.",
    "redis7": "7.0.",
    "valkey9": "9.1.",
    "nats215": "2.15.",
    "nats29": "2.9.",
    "rabbitmq310": "3.10.",
}
# the programs of the others were built without
ENCRYPTED = ["postgres15", "redis7", "nats215", "nats29"]


@pytest.fixture(params=KINDS, scope="module")
def server(fleet: Fleet, request: pytest.FixtureRequest) -> Generator[Server]:
    """Give one of each kind, which these tests may break in turn."""
    with fleet.fresh(str(request.param)) as server:
        yield server


def test_server_has_the_version_that_its_name_says(server: Server) -> None:
    """What is called redis7 is Redis 7.0, wherever it came from."""
    assert server.version.startswith(VERSIONS[server.name])


def test_server_keeps_what_it_acknowledged_when_it_is_killed(server: Server) -> None:
    """After SIGKILL and a new start, on the same port, the data is there."""
    before = (server.pid, server.port)
    keep(server, "something")
    server.restart()
    assert "something" == kept(server)
    assert before[0] != server.pid
    assert before[1] == server.port


def test_server_comes_back_after_a_stop(server: Server) -> None:
    """A stop in good order ends the process, and a start brings it back."""
    server.stop()
    assert not server.running
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((server.host, server.port))
    server.start()
    assert server.answers()


def test_frozen_server_answers_once_it_is_thawed(server: Server) -> None:
    """A frozen server neither answers nor refuses; thawed, it goes on."""
    with ThreadPoolExecutor() as pool:
        server.freeze()
        answer = pool.submit(server.answers)
        with pytest.raises(TimeoutError):
            answer.result(SOON)
        server.thaw()
        answer.result(LATER)
    assert server.answers()


def test_killed_server_leaves_no_process(server: Server) -> None:
    """Children end with it, so that nothing of it goes on writing."""
    everyone = [psutil.Process(server.pid)]
    everyone += everyone[0].children(recursive=True)
    server.kill()
    assert [] == [p for p in everyone if p.is_running() and p.status() != "zombie"]
    server.start()


@pytest.mark.parametrize("name", ENCRYPTED)
def test_encrypted_server_is_reached_with_its_password(fleet: Fleet, name: str) -> None:
    """The URL, the authority and a password of odd letters lead to the server."""
    with fleet.fresh(name, password="a/b:c@d% e", tls=True) as server:
        keep(server, "secret")
        assert "secret" == kept(server)


def test_server_with_a_bad_setting_shows_its_log(fleet: Fleet) -> None:
    """What can't start says so at once, in the server's own words."""
    with (
        pytest.raises(AssertionError, match=r"ended at its start[^$]*no-such-setting"),
        fleet.fresh("redis7", settings={"no-such-setting": "1"}),
    ):
        pass


def test_unknown_server_is_refused(fleet: Fleet) -> None:
    """A name that isn't known is an error that lists those that are."""
    with pytest.raises(ValueError, match=re.escape("'redis6'; there are postgres18,")):
        fleet.fresh("redis6")


def test_missing_server_skips_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that isn't there skips the test, and says how to get it."""
    monkeypatch.setattr(programs, "SYSTEM", "/nowhere")
    with pytest.raises(pytest.skip.Exception, match="apt-get install nats-server"):
        programs.from_debian("nats29", "nats-server", "nats-server")


DIES_WITH_A_SERVER = """\
import os, signal
from tests.servers.fleet import Fleet

server = Fleet()["redis7"]
print(server.pid, server.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.servers
def test_server_ends_with_whoever_started_it() -> None:
    """Even if the tests are killed, no server and no folder stays behind."""
    done = subprocess.run(
        [sys.executable, "-c", DIES_WITH_A_SERVER],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert -signal.SIGKILL == done.returncode, done.stderr
    pid, folder = done.stdout.split()
    wait_until(
        lambda: not psutil.pid_exists(int(pid)) and not Path(folder).exists(),
        LATER,
        lambda: f"process {pid} or {folder} is left",
    )
