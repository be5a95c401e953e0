"""Instances whose wall clocks are minutes off, beside one that is right.

What runs when is decided by the store's clock, so the wrong ones do their share of the
work, at the right time. Told of every kind of store that has a clock, side by side.
"""

import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest

from anarchon.model import Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.setup import Handler
from tests.servers.faketime import clock_off_by
from tests.servers.fleet import Fleet
from tests.stores.outages import begun_of, check_quiet, check_stops
from tests.stores.side_by_side import folders_in, side_by_side
from tests.stores.stores import KINDS, Kind, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

# RabbitMQ tells no time: there every machine's own clock has to be right
TIMED = [kind for kind in KINDS if kind.server != "rabbitmq310"]
RIGHT, FAST, SLOW = "R", "F", "S"
OFF_BY = 300.0
PERIOD = 1.0
WATCHED = 15.0
LEASE, HEARTBEAT = 6.0, 1.0
SOON = 6.0
SLACK = 1.5
# how far the store's reading of its clock may be from this test's
READING = 0.005
LOOK = 0.1


@pytest.fixture(scope="module")
def watched(
    fleet: Fleet, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Future[None]]:
    """Watch three instances on each kind of store."""
    folders = folders_in(tmp_path_factory.mktemp("clocks"), TIMED)
    return side_by_side(
        TIMED, lambda kind: watch(kind, fleet[kind.server].url, folders[kind.id])
    )


@pytest.mark.parametrize("kind", [kind.id for kind in TIMED])
def test_wrong_clocks_change_nothing(
    watched: Mapping[str, Future[None]], kind: str
) -> None:
    """No run is early, twice or missing; the wrong ones know that they are wrong."""
    watched[kind].result()


def watch(kind: Kind, server: str, folder: Path) -> None:
    """Watch the three for some time, kill the right one, and judge what they did."""
    store = kind.url(server, new_namespace())
    with Cluster(folder, ("trio", "asyncio"), store, stop_timeout=5) as cluster:
        cluster.soon = SOON
        cluster.environments = {FAST: clock_off_by(OFF_BY), SLOW: clock_off_by(-OFF_BY)}
        if kind.leases:
            cluster.options |= {"lease": LEASE, "heartbeat": HEARTBEAT}
        begin(cluster)
        first, last = run_for(cluster, WATCHED)
        if kind.leases:
            check_takeover(cluster)
        check_stops(cluster, FAST + SLOW if kind.leases else RIGHT + FAST + SLOW)
        check_each_ran_in_time(cluster, first, last)
        check_skews(cluster)
        check_quiet(cluster)


def begin(cluster: Cluster) -> None:
    """Let the right one have the long run, and then the others begin."""
    cluster.load(RIGHT + FAST + SLOW)
    cluster.every("tick", PERIOD, Handler(), jitter=0.2)
    cluster.once("long", Handler(takes=60, step=0.5), jitter=0)
    cluster.begin(RIGHT)
    cluster.until(lambda: begun_of(cluster, "long"), 3 * SOON, LOOK)
    cluster.begin(FAST + SLOW)


def run_for(cluster: Cluster, seconds: float) -> tuple[float, float]:
    """Let them run; return from when to when all three did, in seconds since 1970."""
    began = time.time()
    cluster.until(lambda: time.time() > began + seconds, 2 * seconds, LOOK)
    return began, time.time()


def check_takeover(cluster: Cluster) -> None:
    """One of the wrong ones goes on with the long run when the right one is killed."""
    killed = cluster[RIGHT].kill()
    second = cluster.until(
        lambda: [run for run in begun_of(cluster, "long") if run.attempt == 2]
    )[0]
    after = true_time(second) - killed
    assert LEASE - HEARTBEAT - SLACK <= after <= LEASE + 2 * HEARTBEAT + SLACK
    print(f"{second.who} took over {after:.2f} s after the kill")


def check_each_ran_in_time(cluster: Cluster, first: float, last: float) -> None:
    """Every slot that was due then has run once, and not before its time."""
    starts = begun_of(cluster, "tick")
    early = [line for line in starts if true_time(line) < line.slot / 1000 - READING]
    assert [] == early
    assert [] == cluster.started_twice()
    period = round(PERIOD * 1000)
    due = [
        slot
        for slot in range(starts[0].slot, round(last * 1000), period)
        if first * 1000 <= slot < (last - SLACK) * 1000
    ]
    assert due == [slot for slot in sorted(line.slot for line in starts) if slot in due]
    ended = {r.slot for r in cluster.history("tick") if r.status is Status.SUCCESS}
    assert set(due) <= ended
    late = max(true_time(line) - line.slot / 1000 for line in starts)
    print(f"{len(due)} slots, {late:.2f} s late at most, won by", shares(cluster))


def true_time(line: Line) -> float:
    """Return when a line was written, by this process's wall clock."""
    return time.time() - (time.monotonic() - line.monotonic)


def shares(cluster: Cluster) -> dict[str, int]:
    """Return how many runs each instance had."""
    return dict(Counter(line.who for line in cluster.journal.read(Phase.START)))


def check_skews(cluster: Cluster) -> None:
    """The two that are wrong know by how much, and the right one knows nothing."""
    skews = {(skew.who, round(skew.offset)) for skew in cluster.seen("clock_skew")}
    assert {(FAST, -round(OFF_BY)), (SLOW, round(OFF_BY))} == skews
