"""Where a scenario is played: three instances on one store, and all that may hurt them.

Decides how a play waits for something and does something to it, always by what the
instances report. Must not know any scenario nor any promise.
"""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

from anarchon.options import JobOptions
from tests.processes.cluster import Cluster
from tests.processes.journal import Line, Phase
from tests.processes.process import InstanceProcess
from tests.processes.report import Report
from tests.processes.setup import Handler
from tests.scenarios import figures
from tests.scenarios.evidence import JOB, Evidence
from tests.scenarios.stores import Place
from tests.servers.proxy import Proxy
from tests.servers.server import Server

if TYPE_CHECKING:
    from anarchon.opening import SchedulerOptions

T = TypeVar("T")

RARELY = 3_600.0
# seconds between two looks at what a play waits for
LOOK = 0.05


class FalseStart(Exception):
    """The machine was too slow for the situation; nothing can be said by this play."""


class Abandoned(Exception):
    """Somebody asked for the play to end."""


class Stage:
    """A cluster on one store, and all that a play may do with both."""

    def __init__(self, cluster: Cluster, place: Place, exits: ExitStack) -> None:
        self.cluster = cluster
        self.place = place
        self.leases = place.store.leases
        self.abandoned = threading.Event()
        self._exits = exits
        self._jobs: list[str] = []
        self._first = 0.0

    def __getitem__(self, who: str) -> InstanceProcess:
        return self.cluster[who]

    # --- before it begins -------------------------------------------------------------

    def once(
        self, handler: Handler, job: str = JOB, **options: Unpack[JobOptions]
    ) -> int:
        """Add a job with one slot, soon; return that, in ms since 1970 UTC."""
        return self.every(RARELY, handler, job, **options)

    def every(
        self,
        period: float,
        handler: Handler,
        job: str = JOB,
        **options: Unpack[JobOptions],
    ) -> int:
        """Add a job to whatever begins from now on; return its first slot, soon."""
        slot = self.cluster.every(job, period, handler, **options)
        self._jobs.append(job)
        self._first = self._first or slot / 1000
        return slot

    def load(self, names: str = figures.NAMES) -> None:
        """Start the processes of instances, which then wait to begin.

        It comes before the jobs, whose first slots are soon.
        """
        self.cluster.load(names)

    def begin(self, names: str = figures.NAMES) -> None:
        """Let instances begin that are loaded.

        Raises:
            FalseStart: the first slot came before all of them scheduled.
        """
        self.cluster.begin(names)
        if time.time() > self._first:
            raise FalseStart(f"{names} took longer than {self.cluster.soon:g} s")

    def join(self, names: str) -> None:
        """Let loaded instances begin after others; wait until they schedule."""
        self.cluster.begin(names)

    def back(self, names: str) -> None:
        """Start instances again, each in a new process; wait until they schedule."""
        self.cluster.load(names)
        self.cluster.begin(names)

    # --- waiting ----------------------------------------------------------------------

    def until(
        self, found: Callable[[], T | None], within: float = figures.PATIENCE
    ) -> T:
        """Wait until this returns something true, asked after each report; return that.

        Raises:
            AssertionError: it did not in time, or an instance ended by itself.
            Abandoned: somebody asked for the end.
        """

        def looked() -> T | None:
            if self.abandoned.is_set():
                raise Abandoned
            return found()

        return self.cluster.until(looked, within, LOOK)

    def until_seen(
        self, what: str, on: str | None = None, attempt: int = 0, job: str = JOB
    ) -> Report:
        """Wait for a report of this about a job's run; return the first."""

        def found() -> Report | None:
            seen = self.cluster.seen(what, on)
            fitting = (r for r in seen if attempt in {0, r.attempt} and r.job == job)
            return next(fitting, None)

        return self.until(found)

    def at_work(self, attempt: int = 1, steps: int = 4, job: str = JOB) -> Line:
        """Wait until a handler is in the middle of its work; return its last line."""

        def found() -> list[Line]:
            lines = self.cluster.journal.read(Phase.STEP)
            mine = [
                line for line in lines if (line.job, line.attempt) == (job, attempt)
            ]
            return mine if len(mine) >= steps else []

        return self.until(found)[-1]

    def watch(self, seconds: float) -> None:
        """Let time pass, in which something must not happen."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, seconds + figures.PATIENCE)

    # --- what is done to the store ----------------------------------------------------

    @property
    def server(self) -> Server:
        """The store's server."""
        assert self.place.server is not None, f"{self.place.store.name} has none"
        return self.place.server

    def wire(self, who: str) -> Proxy:
        """Let an instance reach the store through a proxy of its own; return that.

        It holds from when the instance begins.
        """
        proxy = self._exits.enter_context(Proxy(self.server.port))
        url = self.place.through(self.cluster.store, proxy.port)
        self.cluster.changes[who] = {**self.cluster.changes.get(who, {}), "store": url}
        return proxy

    def note(self, what: str, who: str = "") -> None:
        """Report what nobody else does: of the store, or of an instance."""
        self.cluster.note(Report(who=who, pid=0, at=time.time(), what=what))

    # --- the end ----------------------------------------------------------------------

    def evidence(self) -> Evidence:
        """Gather all that is known, and let the instances go."""
        reports = self.cluster.reports()
        histories = [self.cluster.history(job) for job in dict.fromkeys(self._jobs)]
        return Evidence(
            reports=reports,
            lines=self.cluster.journal.read(),
            records=[record for history in histories for record in history],
            complaints=self.cluster.complaints(),
        )


@contextmanager
def staged(
    place: Place,
    folder: Path,
    loops: Sequence[str],
    soon: float = figures.SOON,
) -> Generator[Stage]:
    """Give an empty stage; leaving ends every process that was started on it.

    ``soon`` is how long its instances may take to begin, in seconds.
    """
    options: SchedulerOptions = {
        "jitter": figures.JITTER,
        "stop_timeout": figures.STOP_TIMEOUT,
        "keep": 10_000,
    }
    if place.store.leases:
        options |= {"lease": figures.LEASE, "heartbeat": figures.HEARTBEAT}
    with (
        Cluster(folder, loops, place.new_url(), **options) as cluster,
        ExitStack() as exits,
    ):
        cluster.soon = soon
        cluster.tells_calls = True
        cluster.first = place.first
        yield Stage(cluster, place, exits)
