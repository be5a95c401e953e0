"""What other packages do with a run whose instance is lost, beside anarchon.

Decides how it is told: what was seen, and what their documentation and code say of it.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.instances.subjects import Subject
from benchmarks.peers.program import PERIOD
from benchmarks.report import Cell, Row, Table
from benchmarks.takeover.abandoned import INSTANCES, AbandonedRun
from benchmarks.takeover.losing import Loss
from benchmarks.words import counted, listed, number

AFTER = {Loss.KILL: "after SIGKILL", Loss.STOP: "after SIGTERM"}
LOOKED_FOR = (
    "A message that is put back into a queue wakes whoever waits at it; a lease that "
    "was ended is found by whoever looks next, one to two heartbeats after it looked "
    "last."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many seconds each run ``waited``, if it began again.

    None was waited for any longer than the ``patience``; ``still`` tells that until
    then instances which were to stop had not, as their runs went on.
    """

    waited: Sequence[float | None]
    patience: float
    still: bool

    @property
    def again(self) -> Sequence[float]:
        """The waits of those that began again."""
        return [wait for wait in self.waited if wait is not None]

    @property
    def whole(self) -> bool:
        """Whether all began again, and none ran twice at once."""
        return len(self.again) == len(self.waited) and not self.still

    def cell(self) -> Cell | str:
        """Return what the table says."""
        if self.whole:
            return Cell(values=self.again)
        still = "; its process stays until the run has ended" if self.still else ""
        if not self.again:
            return f"not within {self.patience:g} s{still}"
        latest = number(max(self.again))
        return f"{len(self.again)} of {len(self.waited)} within {latest} s{still}"


Outcomes = Mapping[Subject, Mapping[Loss, Outcome]]


def outcomes(runs: Sequence[AbandonedRun], patience: float) -> Outcomes:
    """Wait for what becomes of each run, so many seconds from its loss on."""
    alike: dict[Subject, dict[Loss, list[AbandonedRun]]] = {}
    for run in runs:
        alike.setdefault(run.subject, {}).setdefault(run.loss, []).append(run)
    return {
        subject: {loss: _outcome(each, patience) for loss, each in losses.items()}
        for subject, losses in alike.items()
    }


def _outcome(runs: Sequence[AbandonedRun], patience: float) -> Outcome:
    waited = [run.waited(patience) for run in runs]
    still = all(run.loss is Loss.STOP and run.still_there for run in runs)
    return Outcome(waited=waited, patience=patience, still=still)


def finding(outcomes: Outcomes) -> str:
    """Say who begins again what a killed instance was running."""
    killed = {
        subject.peer.package: found[Loss.KILL]
        for subject, found in outcomes.items()
        if subject.peer is not None
    }
    again = [name for name, outcome in killed.items() if outcome.whole]
    return (
        f"Of {counted(len(killed), 'other package')}, {len(again)} always began the "
        f"run of a killed instance again within {_patience(outcomes):g} s"
        f"{': ' + listed(again) if again else ''}."
    )


def _losses(outcomes: Outcomes) -> str:
    most = max(
        len(each.waited) for found in outcomes.values() for each in found.values()
    )
    return f"Lost in either way: {counted(most, 'run')} of each package."


def _patience(outcomes: Outcomes) -> float:
    return max(each.patience for found in outcomes.values() for each in found.values())


def ahead(outcomes: Outcomes) -> Iterator[str]:
    """Say of each peer if its runs waited less than anarchon's on the same server."""
    ours = {
        subject.server: found
        for subject, found in outcomes.items()
        if subject.peer is None
    }
    for subject, found in outcomes.items():
        for loss, theirs in found.items():
            here = ours.get(subject.server, found)[loss]
            if theirs.whole and here.whole:
                waits = statistics.median(theirs.again), statistics.median(here.again)
                if waits[0] < waits[1]:
                    yield (
                        f"{subject.name} begins a run again sooner {AFTER[loss]} "
                        f"({number(waits[0])} s, and {number(waits[1])} s here)"
                    )


def table(outcomes: Outcomes) -> Table:
    """Show what others do, each with the defaults it comes with."""
    peers = [subject.peer for subject in outcomes if subject.peer is not None]
    return Table(
        title="The same with other packages",
        text=(
            f"{INSTANCES} instances of each package, with its defaults, on a database "
            "of its own, and two jobs: one is scheduled once, and its run never ends; "
            f"one is due every {PERIOD} seconds, since some look for lost runs only "
            "when something is due. Some time after the first has begun, the process "
            "that runs it is ended by SIGKILL, or asked to stop by SIGTERM: whether "
            "the run begins again in the other process, and after how long. "
            f"{_losses(outcomes)} All were waited for, {_patience(outcomes):g} s long, "
            "while the clusters above were measured; who goes on later, or only by "
            "what its documentation offers, is told below. That a run ends where it "
            "began is no worse: some let a process that is to stop finish its work "
            "first, however long."
        ),
        rows=[
            Row(
                name=subject.name,
                cells={AFTER[loss]: outcome.cell() for loss, outcome in found.items()},
            )
            for subject, found in outcomes.items()
        ],
        unit="seconds",
        notes=[
            *(f"{each}." for each in ahead(outcomes)),
            LOOKED_FOR,
            *(f"{peer.name} after a kill: {peer.after_kill}" for peer in peers),
        ],
    )
