"""Outages of a store, beneath running instances: each goes on as soon as it can.

Each story is told on all kinds of stores side by side, on a server of its own each.
"""

import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.processes.cluster import Cluster
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.servers.server import Server
from tests.stores.outages import (
    HEARTBEAT,
    LEASE,
    NOTICED_AFTER,
    SLACK,
    Outage,
    begin,
    check_goes_on,
    check_stops,
    check_survived,
    check_told,
    cluster_on,
    lived_through,
)
from tests.stores.side_by_side import side_by_side
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
# longer than a call may take
FROZEN = 8.0
# longer than the lease
LONG = 40.0

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
    """Tell how to tell a story of each kind, on its server and in a folder."""

    def tell(story: Callable[[Kind, Server, Path], None]) -> Told:
        def of_kind(kind: Kind) -> None:
            folder = tmp_path_factory.mktemp(kind.id)
            story(kind, servers[kind.id].result(), folder)

        return side_by_side(BREAKABLE, of_kind)

    return tell


# --- a restart that is shorter than the lease ---------------------------------------


@pytest.fixture(scope="module", params=[1, 10])
def short_restarts(request: pytest.FixtureRequest, stage: Stage) -> Told:
    """Let each server be away for so many seconds."""
    return stage(partial(live_through_short_restart, request.param))


def live_through_short_restart(
    down: float, kind: Kind, server: Server, folder: Path
) -> None:
    """Run jobs while the server is killed, away and started again."""
    with cluster_on(kind.url(server.url, new_namespace()), folder, kind) as cluster:
        begin(cluster, takes=down + 5)
        outage = lived_through(cluster, partial(server.restart, down))
        after = check_goes_on(cluster, outage)
        check_survived(cluster, outage)
        if outage.length > NOTICED_AFTER:
            check_told(cluster, outage)
        stopped = check_stops(cluster, "AB")
    tell(kind, f"away for {outage.length:.1f} s", after, stopped)


@each_kind
def test_a_short_restart_costs_no_run(short_restarts: Told, kind: str) -> None:
    """The next slots run, and the run that was under way is finished by its runner."""
    short_restarts[kind].result()


# --- a restart that is longer than the lease ----------------------------------------


@pytest.fixture(scope="module")
def long_restarts(stage: Stage) -> Told:
    """Let each server be away for longer than a lease."""
    return stage(live_through_long_restart)


def live_through_long_restart(kind: Kind, server: Server, folder: Path) -> None:
    """Run jobs while the server is away for long, and stop two instances meanwhile."""
    with cluster_on(kind.url(server.url, new_namespace()), folder, kind) as cluster:
        begin(cluster, takes=LONG + 5, others="CD")

        def away() -> None:
            over = time.monotonic() + LONG
            server.kill()
            check_stops(cluster, "CD")
            time.sleep(over - time.monotonic())
            server.start()

        outage = lived_through(cluster, away)
        after = check_goes_on(cluster, outage)
        (check_lost_by_silence if kind.leases else check_survived)(cluster, outage)
        check_told(cluster, outage)
        stopped = check_stops(cluster, "AB")
    tell(kind, f"away for {outage.length:.1f} s", after, stopped)


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


# --- a server that stands still -----------------------------------------------------


@pytest.fixture(scope="module")
def freezes(stage: Stage) -> Told:
    """Let each server stand still, for longer than a call may take."""
    return stage(live_through_freeze)


def live_through_freeze(kind: Kind, server: Server, folder: Path) -> None:
    """Run jobs while the server is frozen, and stop two instances meanwhile."""
    with cluster_on(kind.url(server.url, new_namespace()), folder, kind) as cluster:
        begin(cluster, takes=FROZEN + 5, others="CD")

        def still() -> None:
            over = time.monotonic() + FROZEN
            server.freeze()
            try:
                check_stops(cluster, "CD")
                time.sleep(max(over - time.monotonic(), 0))
            finally:
                server.thaw()

        outage = lived_through(cluster, still)
        after = check_goes_on(cluster, outage)
        check_survived(cluster, outage)
        check_told(cluster, outage)
        stopped = check_stops(cluster, "AB")
    tell(kind, f"frozen for {outage.length:.1f} s", after, stopped)


@each_kind
def test_a_frozen_server_costs_no_run(freezes: Told, kind: str) -> None:
    """Calls that hang are given up, and all goes on once it is thawed."""
    freezes[kind].result()


# --- a connection that is dead without saying so ------------------------------------


@pytest.fixture(scope="module")
def strandings(stage: Stage) -> Told:
    """Let the connections to each server fall silent for good."""
    return stage(live_through_stranding)


def live_through_stranding(kind: Kind, server: Server, folder: Path) -> None:
    """Run jobs while every connection drops all it is given; new ones are fine."""
    with Proxy(server.port) as proxy:
        store = kind.url(server.url_at(proxy.port), new_namespace())
        with cluster_on(store, folder, kind) as cluster:
            begin(cluster, takes=8)
            outage = lived_through(cluster, proxy.strand)
            after = check_goes_on(cluster, outage)
            check_survived(cluster, outage)
            check_told(cluster, outage)
            stopped = check_stops(cluster, "AB")
    tell(kind, "stranded", after, stopped)


@each_kind
def test_half_open_connections_are_given_up(strandings: Told, kind: str) -> None:
    """Nobody waits for them for longer than a call may take."""
    strandings[kind].result()


def tell(kind: Kind, what: str, after: float, stopped: float) -> None:
    """Say what was measured."""
    print(
        f"{kind.id}, {what}: runs again after {after:.2f} s, stops in {stopped:.2f} s"
    )
