"""A cluster that lives through an outage of its store: what it does, what must hold.

Decides the jobs, the figures and the checks. Must not know which store it is, nor what
happens to it.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anarchon.model import Status
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.stores.stores import Kind

# the library's default; that a runner believes in it so long is the point of some tests
LEASE = 30.0
HEARTBEAT = 2.0
STOP_TIMEOUT = 5.0
PERIOD = 1.0
CALL_BOUND = 5.0
# a call may hang for its bound when the store is back, and then comes the backoff
RECOVERS_WITHIN = CALL_BOUND + 5.0
STOPS_WITHIN = STOP_TIMEOUT + 5.0
# how late a busy machine may do what is due
SLACK = 2.0
# how long all instances may take to begin
SOON = 5.0
# seldom enough for many clusters that are watched at once
LOOK = 0.1
# for how long it is watched that no slot is missing
THEN = 3 * PERIOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """From when to when the store was away, in seconds since 1970 UTC."""

    down: float
    up: float

    @property
    def length(self) -> float:
        """How long it was away, in seconds."""
        return self.up - self.down


@contextmanager
def cluster_on(store: str, folder: Path, kind: Kind) -> Generator[Cluster]:
    """Give a cluster on this store; in the end it has told of nothing unexpected."""
    loops = ("trio", "asyncio")
    with Cluster(
        folder, loops, store, jitter=0.05, stop_timeout=STOP_TIMEOUT, keep=10_000
    ) as cluster:
        cluster.soon = SOON
        if kind.leases:
            cluster.options["heartbeat"] = HEARTBEAT
        yield cluster
        assert [] == cluster.started_twice()
        check_quiet(cluster)


def check_survived(cluster: Cluster, outage: Outage) -> None:
    """The long run has success as its first attempt, and was never thought lost."""
    cluster.until(lambda: successes_of(cluster, "long"), outage.length + 15, LOOK)
    history = cluster.history("long")
    assert [(1, Status.SUCCESS)] == [(r.attempt, r.status) for r in history]
    assert [] == cluster.seen("lost")


def live_through(
    cluster: Cluster,
    happens: Callable[[], None],
    *,
    takes: float,
    jobs: Sequence[str] = ("tick",),
    others: str = "",
    judge: Callable[[Cluster, Outage], None] = check_survived,
    noticed: bool = True,
) -> None:
    """Let instances live through an outage; hold that all goes on, and tell how soon.

    A and B have short jobs, and a long run that ``takes`` so many seconds, which is
    judged apart. Others begin when it is at work; the outage is left to end them.
    """
    begin(cluster, takes, jobs, others)
    outage = lived_through(cluster, jobs, happens)
    after = max([check_goes_on(cluster, job, outage) for job in jobs])
    judge(cluster, outage)
    if noticed:
        check_told(cluster, outage)
    stopped = check_stops(cluster, "AB")
    print(
        f"{_title(cluster)}: away for {outage.length:.1f} s, "
        f"all run again {after:.2f} s later; stopped in {stopped:.2f} s"
    )


def begin(cluster: Cluster, takes: float, jobs: Sequence[str], others: str) -> None:
    """Let A and B begin, and others once the long run of one of both is at work.

    The others have a job of their own besides, which is at work in the end.
    """
    cluster.load("AB" + others)
    for job in jobs:
        cluster.every(job, PERIOD, Handler())
    cluster.once("long", Handler(takes=takes, step=0.5))
    cluster.begin("AB")
    cluster.until(lambda: begun_of(cluster, "long"), 3 * SOON, LOOK)
    if others:
        cluster.once("own", Handler(takes=60, step=0.5))
        cluster.begin(others)
        cluster.until(lambda: begun_of(cluster, "own"), 3 * SOON, LOOK)


def lived_through(
    cluster: Cluster, jobs: Sequence[str], happens: Callable[[], None]
) -> Outage:
    """Let it happen between two slots; return when that was."""
    begun = cluster.until(lambda: begun_of(cluster, jobs[-1]), 3 * SOON, LOOK)
    past = (time.time() - begun[0].slot / 1000) % PERIOD
    time.sleep((1.5 * PERIOD - past) % PERIOD)
    down = time.time()
    happens()
    return Outage(down=down, up=time.time())


def check_goes_on(cluster: Cluster, job: str, outage: Outage) -> float:
    """Slots run again, each once; return how long after the outage the first did.

    Those that had to wait for the store are asked for in one go then, and some may be
    skipped for their overlap. Of those that are due later none is missing.
    """

    def due_from(since: float) -> list[Line]:
        return [line for line in begun_of(cluster, job) if line.slot >= since * 1000]

    first = cluster.until(lambda: due_from(outage.up), RECOVERS_WITHIN + SLACK, LOOK)[0]
    later = first.at + PERIOD
    cluster.until(lambda: due_from(later + THEN), 2 * THEN, LOOK)
    slots = [line.slot for line in due_from(later)]
    period = round(PERIOD * 1000)
    assert list(range(slots[0], slots[-1] + 1, period)) == sorted(slots)
    assert slots[0] < later * 1000 + period
    return first.at - outage.up


def check_told(cluster: Cluster, outage: Outage) -> None:
    """Both instances have told of the outage by error events."""
    over = outage.up + RECOVERS_WITHIN
    told = {e.who for e in cluster.seen("error") if outage.down <= e.at <= over}
    assert {"A", "B"} <= told, f"only {told} told of it:\n{cluster.story()}"


def check_stops(cluster: Cluster, names: str) -> float:
    """They come down when they are asked to; return how long the slowest took."""
    asked = min([cluster[who].stop() for who in names])
    assert {0} == {cluster[who].ended(STOPS_WITHIN + SLACK) for who in names}
    return time.time() - asked


def check_stop_meanwhile(cluster: Cluster, names: str) -> None:
    """They come down in time though the store is away, and one of them was at work."""
    stopped = check_stops(cluster, names)
    [cancelled] = [
        line for line in cluster.journal.read(Phase.CANCELLED) if line.job == "own"
    ]
    assert cancelled.who in names
    print(f"{_title(cluster)}: stopped in {stopped:.2f} s meanwhile")


def check_quiet(cluster: Cluster) -> None:
    """Nothing went wrong that nobody expected, in any library."""
    complaints = cluster.complaints()
    for trouble in ("Traceback", "never retrieved", "Exception ignored", "Warning"):
        assert trouble not in complaints, complaints


def begun_of(cluster: Cluster, job: str) -> list[Line]:
    """Return the beginnings of a job's attempts, oldest first."""
    return [line for line in cluster.journal.read(Phase.START) if line.job == job]


def successes_of(cluster: Cluster, job: str) -> list[Report]:
    """Return what was told of a job's runs that came to success."""
    return [report for report in cluster.seen("success") if report.job == job]


def _title(cluster: Cluster) -> str:
    return Path(cluster.journal.path).parent.name
