"""What other packages do with a run whose instance is lost, beside anarchon.

Decides how it is told: what was seen, and what their documentation and code say of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.instances.subjects import Subject
from benchmarks.report import Cell, Row, Table, once
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
    """How many seconds a run waited, if it began again.

    It wasn't waited for any longer than the ``patience``; ``still`` tells that until
    then an instance which was to stop had not.
    """

    waited: float | None
    patience: float
    still: bool

    def cell(self) -> Cell | str:
        """Return what the table says."""
        if self.waited is not None:
            return once(self.waited)
        still = "; its process stays until the run has ended" if self.still else ""
        return f"not within {self.patience:g} s{still}"


Outcomes = Mapping[Subject, Mapping[Loss, Outcome]]


def outcomes(runs: Sequence[AbandonedRun], patience: float) -> Outcomes:
    """Wait for what becomes of each run, so many seconds from its loss on."""
    found: dict[Subject, dict[Loss, Outcome]] = {}
    for run in runs:
        waited = run.waited(patience)
        still = waited is None and run.loss is Loss.STOP and run.still_there
        outcome = Outcome(waited=waited, patience=patience, still=still)
        found.setdefault(run.subject, {})[run.loss] = outcome
    return found


def finding(outcomes: Outcomes) -> str:
    """Say who begins again what a killed instance was running."""
    killed = {
        subject.peer.package: found[Loss.KILL]
        for subject, found in outcomes.items()
        if subject.peer is not None
    }
    again = [name for name, outcome in killed.items() if outcome.waited is not None]
    return (
        f"Of {counted(len(killed), 'other package')}, as they come, {len(again)} began "
        f"the run of a killed instance again within {_patience(outcomes):g} s"
        f"{': ' + listed(again) if again else ''}."
    )


def _patience(outcomes: Outcomes) -> float:
    return max(each.patience for found in outcomes.values() for each in found.values())


def ahead(outcomes: Outcomes) -> Iterator[str]:
    """Say of each peer if its run waited less than that of anarchon on its server."""
    ours = {
        subject.server: found
        for subject, found in outcomes.items()
        if subject.peer is None
    }
    for subject, found in outcomes.items():
        for loss, theirs in found.items():
            here = ours.get(subject.server, found)[loss].waited
            if theirs.waited and here and theirs.waited < here:
                yield (
                    f"{subject.name} begins a run again sooner {AFTER[loss]} "
                    f"({number(theirs.waited)} s, and {number(here)} s here)"
                )


def table(outcomes: Outcomes) -> Table:
    """Show what others do, each with the defaults it comes with."""
    peers = [subject.peer for subject in outcomes if subject.peer is not None]
    return Table(
        title="The same with other packages",
        text=(
            f"{INSTANCES} instances of each package, as it comes, with its defaults, "
            "on a database of its own, and one job that is scheduled once. When its "
            "run has begun, the process that runs it is ended by SIGKILL, or asked to "
            "stop by SIGTERM. One loss of each kind: whether the run begins again in "
            "the other process, and after how long. All were waited for, "
            f"{_patience(outcomes):g} s long, while the clusters above were measured; "
            "who goes on later, or only if one adds to it what its documentation "
            "offers, is told below. That a run ends where it began is no worse: some "
            "let a process that is to stop finish its work first, however long."
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
