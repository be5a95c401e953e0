"""Outages of a store, beneath running instances: each goes on as soon as it can.

Each story is told on all kinds of stores side by side, on a server of its own each.
"""

import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.processes.cluster import Cluster
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.servers.server import Server
from tests.stores.outages import (
    CALL_BOUND,
    HEARTBEAT,
    LEASE,
    SLACK,
    Outage,
    check_stop_meanwhile,
    check_survived,
    cluster_on,
    live_through,
)
from tests.stores.side_by_side import folders_in, side_by_side
from tests.stores.stores import KINDS, Kind, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(240)]

Told = Mapping[str, Future[None]]
Stage = Callable[[Callable[[Kind, Server, Path], None]], Told]

BY_ID = {kind.id: kind for kind in KINDS}
BREAKABLE = (
    BY_ID["redis-lease"],
    # a server of its own
    replace(BY_ID["redis-script"], server="valkey9"),
    BY_ID["postgresql"],
    BY_ID["nats"],
    BY_ID["rabbitmq"],
)
# in seconds: one that a call may wait out, one that it can't but a lease can
SHORT = (1.0, 10.0)
LONG = 40.0
FROZEN = 8.0
# over before the run is, unless its heartbeats find another connection
BRIEF_LEASE = 12.0
# how long the run that is under way goes on after the outage
MORE = 5.0

each_kind = pytest.mark.parametrize("kind", [kind.id for kind in BREAKABLE])


@pytest.fixture(scope="module")
def servers(fleet: Fleet) -> Generator[Mapping[str, Future[Server]]]:
    """Give a server for each kind, started at the same time."""
    with ExitStack() as stack:
        yield side_by_side(
            BREAKABLE, lambda kind: stack.enter_context(fleet.fresh(kind.server))
        )


@pytest.fixture(scope="module")
def stage(
    servers: Mapping[str, Future[Server]], tmp_path_factory: pytest.TempPathFactory
) -> Stage:
    """Give a function that tells a story of each kind, on its server, in a folder."""

    def tell(story: Callable[[Kind, Server, Path], None]) -> Told:
        folders = folders_in(tmp_path_factory.mktemp("outage"), BREAKABLE)
        return side_by_side(
            BREAKABLE,
            lambda kind: story(kind, servers[kind.id].result(), folders[kind.id]),
        )

    return tell


def on_server(kind: Kind, server: str, folder: Path) -> AbstractContextManager[Cluster]:
    """Give a cluster on the server with this URL."""
    return cluster_on(kind.url(server, new_namespace()), folder, kind)


# --- a restart that is shorter than the lease -----------------------------------------


@pytest.fixture(scope="module", params=SHORT)
def short_restarts(request: pytest.FixtureRequest, stage: Stage) -> Told:
    """Let each server be killed, and away for so many seconds."""
    down: float = request.param

    def story(kind: Kind, server: Server, folder: Path) -> None:
        with on_server(kind, server.url, folder) as cluster:
            live_through(
                cluster,
                partial(server.restart, down),
                takes=down + MORE,
                noticed=down > CALL_BOUND,
            )

    return stage(story)


@each_kind
def test_a_short_restart_costs_no_run(short_restarts: Told, kind: str) -> None:
    """The next slots run, and the run that was under way is finished by its runner."""
    short_restarts[kind].result()


# --- a restart that is longer than the lease ------------------------------------------


@pytest.fixture(scope="module")
def long_restarts(stage: Stage) -> Told:
    """Let each server be away for longer than a lease; two instances stop meanwhile."""

    def story(kind: Kind, server: Server, folder: Path) -> None:
        with on_server(kind, server.url, folder) as cluster:
            live_through(
                cluster,
                partial(be_away, server, cluster),
                takes=LONG + MORE,
                others="CD",
                judge=check_lost_by_silence if kind.leases else check_survived,
            )

    return stage(story)


def be_away(server: Server, cluster: Cluster) -> None:
    """Kill the server, stop two instances, and start the server when it is time."""
    over = time.monotonic() + LONG
    server.kill()
    check_stop_meanwhile(cluster, "CD")
    time.sleep(over - time.monotonic())
    server.start()


def check_lost_by_silence(cluster: Cluster, outage: Outage) -> None:
    """Whoever had the long run gave it up in time, and somebody goes on with it."""
    [lost] = cluster.seen("lost")
    assert "silence" == lost.cause
    assert LEASE - HEARTBEAT <= lost.at - outage.down <= LEASE + SLACK
    start = cluster.until_seen("start", attempt=2)
    assert ("long", "takeover") == (start.job, start.reason)


@each_kind
def test_a_long_restart_is_survived(long_restarts: Told, kind: str) -> None:
    """A leased run changes hands, any other goes on; who stops then isn't held up."""
    long_restarts[kind].result()


# --- a server that stands still -------------------------------------------------------


@pytest.fixture(scope="module")
def freezes(stage: Stage) -> Told:
    """Let each server stand still for longer than a call may take; two stop then."""

    def story(kind: Kind, server: Server, folder: Path) -> None:
        with on_server(kind, server.url, folder) as cluster:
            live_through(
                cluster,
                partial(stand_still, server, cluster),
                takes=FROZEN + MORE,
                others="CD",
            )

    return stage(story)


def stand_still(server: Server, cluster: Cluster) -> None:
    """Freeze the server, stop two instances, and thaw the server when it is time."""
    over = time.monotonic() + FROZEN
    server.freeze()
    try:
        check_stop_meanwhile(cluster, "CD")
        time.sleep(max(over - time.monotonic(), 0))
    finally:
        server.thaw()


@each_kind
def test_a_frozen_server_costs_no_run(freezes: Told, kind: str) -> None:
    """Calls that hang are given up, and all goes on once it is thawed."""
    freezes[kind].result()


# --- a connection that is dead without saying so --------------------------------------


@pytest.fixture(scope="module")
def strandings(stage: Stage) -> Told:
    """Let the connections to each server fall silent for good; new ones are fine."""

    def story(kind: Kind, server: Server, folder: Path) -> None:
        with (
            Proxy(server.port) as proxy,
            on_server(kind, server.url_at(proxy.port), folder) as cluster,
        ):
            if kind.leases:
                cluster.options["lease"] = BRIEF_LEASE
            live_through(cluster, proxy.strand, takes=BRIEF_LEASE + MORE)

    return stage(story)


@each_kind
def test_half_open_connections_are_given_up(strandings: Told, kind: str) -> None:
    """Nobody waits for them for longer than a call may take."""
    strandings[kind].result()
