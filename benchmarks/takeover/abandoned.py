"""What becomes of a run in other packages when the instance that runs it is lost.

Decides what is put beside each other, and that each loses its instance in the same way.
Must not know how they work.
"""

import itertools
import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import product

from benchmarks.instances.marks import Kind, Mark
from benchmarks.instances.places import EMPTY, new_database, prepare
from benchmarks.instances.process import Instance, Instances
from benchmarks.instances.subjects import Subject, on_postgres, on_redis
from benchmarks.takeover.losing import Loss, lose
from tests.servers.fleet import Fleet
from tests.servers.postgres import Postgres
from tests.servers.server import Server

INSTANCES = 2
# seconds until the instances of all runs are up, on a machine that is busy: for each of
# the runs, and once
UP_WITHIN = 1.5
UP_AT_FIRST = 6
# which is longer than anybody waits
RUN_TAKES = 7_200
# so long after it is due
BEGINS_WITHIN = 30.0
# so long it runs at least before it is lost, and at most: the longest heartbeat more
AT_WORK = (1.0, 11.0)
# instances of so many runs start at the same time
AT_ONCE = 4
# all have their connections and databases on one server
SETTINGS = {
    "postgres18": {"max_connections": "1600"},
    "redis8": {"databases": "128", "appendfsync": "everysec"},
}


def subjects() -> Sequence[Subject]:
    """Return anarchon and its peers, wherever instances share a store on a server."""
    return [*on_postgres(), *on_redis()]


class AbandonedRun:
    """A run whose instance is lost, and whoever may go on with it."""

    def __init__(
        self, subject: Subject, loss: Loss, due: float, instances: Instances
    ) -> None:
        self.subject = subject
        self.loss = loss
        self._due = due
        self._instances = instances
        self._lost: Instance
        self._lost_at: float

    def start(self) -> None:
        """Start the instances, and wait until they are up."""
        self._instances.start(INSTANCES)

    def lose(self) -> None:
        """Wait until the run has begun; then kill or stop its instance."""
        time.sleep(max(self._due - time.time(), 0.0))
        marks = self._instances.until(bool, BEGINS_WITHIN)
        if not marks:
            raise self._instances.all[0].complain("has not begun the run")
        time.sleep(random.uniform(*AT_WORK))
        self._lost = self._instances.of(marks[0])
        self._lost_at = lose(self._lost, self.loss)

    def waited(self, patience: float) -> float | None:
        """Return how long after the loss somebody began the run again, if at all.

        Return at the latest so many seconds after the loss.
        """
        left = max(self._lost_at + patience - time.time(), 0.0)
        marks = self._instances.until(lambda marks: self._again(marks) != [], left)
        again = self._again(marks)
        return again[0] - self._lost_at if again else None

    @property
    def still_there(self) -> bool:
        """Whether the instance that was to stop is still there."""
        return self._lost.running

    def end(self) -> None:
        """End all instances at once; some would wait for the end of the run."""
        for instance in self._instances.all:
            instance.kill()

    def _again(self, marks: Sequence[Mark]) -> Sequence[float]:
        return [
            mark.at
            for mark in marks
            if mark.kind is Kind.START
            and mark.pid != self._lost.pid
            and mark.at > self._lost_at
        ]


@contextmanager
def abandoned_runs(
    subjects: Sequence[Subject], losses: int, fleet: Fleet
) -> Generator[Sequence[AbandonedRun]]:
    """Yield so many runs of each subject that were killed, and as many stopped."""
    each = list(product(subjects, Loss, range(losses)))
    at = int(time.time() + UP_AT_FIRST + UP_WITHIN * len(each))
    runs: list[AbandonedRun] = []
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(fleet.fresh(name, settings=settings))
            for name, settings in SETTINGS.items()
        }
        urls = _Urls(servers, at)
        for subject, loss, _ in each:
            command = _command(subject, urls.of(subject), at)
            instances = stack.enter_context(Instances(command))
            runs.append(AbandonedRun(subject, loss, at, instances))
            stack.callback(runs[-1].end)
        _at_once(AT_ONCE, AbandonedRun.start, runs)
        # which wait, all for the same second
        _at_once(len(runs), AbandonedRun.lose, runs)
        yield runs


def _at_once(
    count: int, step: Callable[[AbandonedRun], None], runs: Sequence[AbandonedRun]
) -> None:
    with ThreadPoolExecutor(count) as threads:
        # the list lets errors out
        list(threads.map(step, runs))


def _command(subject: Subject, url: str, at: int) -> Sequence[str]:
    job = ["--jobs", "1", "--at", str(at), "--seconds", str(RUN_TAKES), "--ticks"]
    return [*subject.command, "--url", url, *job]


class _Urls:
    """Databases, one for each run, with the tables that its subject wants."""

    def __init__(self, servers: Mapping[str, Server], at: int) -> None:
        self._servers = servers
        self._at = at
        self._numbers = itertools.count()
        self._templates: dict[Subject, str] = {}

    def of(self, subject: Subject) -> str:
        """Make another one; return its URL."""
        assert subject.server is not None, subject
        server, number = self._servers[subject.server], next(self._numbers)
        if isinstance(server, Postgres):
            template = self._template(server, subject)
            return new_database(server, f"run{number}", template)
        return f"{server.url}/{number}"

    def _template(self, server: Postgres, subject: Subject) -> str:
        if not subject.prepare:
            return EMPTY
        if subject not in self._templates:
            name = f"prepared{len(self._templates)}"
            prepare(_command(subject, new_database(server, name), self._at))
            self._templates[subject] = name
        return self._templates[subject]
