"""The instances that share one store, each in a process of its own.

Decides how they are started together, what is kept of all that they report, and how a
test waits for something. Must not know any scenario.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, Unpack

import anarchon
from anarchon.opening import SchedulerOptions
from anarchon.options import JobOptions
from tests.processes.history import read_history
from tests.processes.journal import Journal, Phase
from tests.processes.process import InstanceProcess
from tests.processes.report import Report
from tests.processes.setup import Changes, Handler, Setup, Work

T = TypeVar("T")

PATIENCE = 15.0
PAUSE = 0.02
# a slot this far ahead finds every process ready, if all of them are loaded
SOON = 0.4
RARELY = 3_600.0


class Cluster:
    """A store, a journal and the processes; leaving the block ends all of them.

    The instances run on the given loops in turn. Their store is a SQLite file in the
    folder, or whatever is named. ``environments`` and ``changes`` have what is special
    to some of them, whenever they are loaded or begin. The first slots come ``soon``:
    as many seconds after their job was added.
    """

    soon = SOON

    def __init__(
        self,
        folder: Path,
        loops: Sequence[str],
        store: str | None = None,
        **options: Unpack[SchedulerOptions],
    ) -> None:
        self.store = store or f"sqlite:///{folder / 'cluster.db'}"
        self.journal = Journal(folder / "journal")
        self.options = options
        self.serve = True
        self.tells_calls = False
        self.first = ""
        self.environments: dict[str, dict[str, str]] = {}
        self.changes: dict[str, Changes] = {}
        self._log = folder / "errors"
        self._loops = loops
        self.works: list[Work] = []
        self._instances: dict[str, InstanceProcess] = {}
        self._past: list[InstanceProcess] = []
        self._reports: list[Report] = []
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for instance in (*self._past, *self._instances.values()):
            instance.close()
        self.journal.close()

    def __getitem__(self, who: str) -> InstanceProcess:
        return self._instances[who]

    # --- jobs and instances ---------------------------------------------------------

    def every(
        self, job: str, period: float, handler: Handler, **options: Unpack[JobOptions]
    ) -> int:
        """Add a job to whatever begins from now on; return its first slot, due soon."""
        first = round((time.time() + self.soon) * 1000)
        offset = first % round(period * 1000) / 1000
        self.works.append(
            Work(job=job, every=period, offset=offset, handler=handler, options=options)
        )
        return first

    def once(self, job: str, handler: Handler, **options: Unpack[JobOptions]) -> int:
        """Add a job that has one slot while the test lasts; return that."""
        return self.every(job, RARELY, handler, **options)

    def load(self, names: str) -> None:
        """Start the processes of these instances, one letter each, and no scheduler."""
        for who in names:
            if who in self._instances:
                self._past.append(self._instances[who])
            special = self.environments.get(who, {})
            self._instances[who] = InstanceProcess(
                who, self.loop_of(who), self.store, self._log, self.note, special
            )
        self._until_said("loaded", [self[who] for who in names])

    def loop_of(self, who: str) -> str:
        """Return which loop an instance runs on."""
        return self._loops[ord(who) % len(self._loops)]

    def begin(self, names: str = "") -> None:
        """Let these begin at once, or all that are loaded; wait until they schedule."""
        chosen = [self[who] for who in names or self._instances]
        waiting = [instance for instance in chosen if not instance.begun]
        for instance in waiting:
            instance.begin(self._setup(instance.who))
        self._until_said("ready", waiting)

    def start(self, names: str) -> None:
        """Start these instances, and wait until they schedule."""
        self.load(names)
        self.begin()

    def _setup(self, who: str) -> Setup:
        usual = Setup(
            store=self.store,
            journal=self.journal.path,
            works=tuple(self.works),
            options={**self.options, "instance_id": who},
            serve=self.serve,
            tells_calls=self.tells_calls,
            first=self.first,
        )
        return replace(usual, **self.changes.get(who, {}))

    def _until_said(self, what: str, instances: Sequence[InstanceProcess]) -> None:
        pids = {instance.pid for instance in instances}
        self.until(lambda: pids <= {report.pid for report in self.seen(what)})

    # --- what happened --------------------------------------------------------------

    def reports(self) -> list[Report]:
        """Return all that was reported, oldest first."""
        with self._changed:
            return list(self._reports)

    def seen(self, what: str, on: str | None = None) -> list[Report]:
        """Return what was reported, of all instances or of one, oldest first."""
        return [r for r in self.reports() if r.what == what and on in {None, r.who}]

    def told(self, who: str) -> list[Report]:
        """Return all that was reported of one instance, oldest first."""
        return [report for report in self.reports() if report.who == who]

    def all_skipped(self, slot: int, who: set[str]) -> list[Report]:
        """Return the skips of a slot, once all of these have told theirs."""
        skips = [skip for skip in self.seen("skip") if skip.slot == slot]
        return skips if who <= {skip.who for skip in skips} else []

    def until_seen(
        self, what: str, on: str | None = None, *, attempt: int = 0
    ) -> Report:
        """Wait for a report, of an attempt if one is named; return the first."""

        def found() -> Report | None:
            seen = self.seen(what, on)
            return next((r for r in seen if attempt in {0, r.attempt}), None)

        return self.until(found)

    def until(
        self,
        found: Callable[[], T | None],
        within: float = PATIENCE,
        pause: float = PAUSE,
    ) -> T:
        """Wait until this returns something true, and return that.

        It is called after each report, and after a pause.

        Raises:
            AssertionError: it did not in time, or an instance ended by itself; tells
                the story.
        """
        deadline = time.monotonic() + within
        while not (result := found()):
            failed = any(one.failed for one in self._instances.values())
            if failed or time.monotonic() > deadline:
                why = "an instance ended" if failed else f"not within {within:g} s"
                raise AssertionError(f"{why}:\n{self.story()}")
            # the journal says nothing when it grows
            with self._changed:
                self._changed.wait(pause)
        return result

    def history(self, job: str = "sync") -> list[anarchon.RunRecord]:
        """Read a job's records from the store, oldest first."""
        return read_history(self.store, job)

    def started_twice(self) -> list[tuple[str, int, int]]:
        """Return the attempts that more than one handler began, by the journal."""
        began = Counter(line.run for line in self.journal.read(Phase.START))
        return [run for run, times in began.items() if times > 1]

    def complaints(self) -> str:
        """Return what the processes wrote on standard error."""
        return self._log.read_text()

    def story(self) -> str:
        """Return all that was reported, and all that was complained about."""
        return "\n".join([*map(str, self.reports()), self.complaints()])

    def note(self, report: Report) -> None:
        """Keep a report that comes from somebody else."""
        with self._changed:
            self._reports.append(report)
            self._changed.notify()
