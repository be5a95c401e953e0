"""How a scenario is played on one store, and what is found.

Decides that every promise is judged, whatever became of the others, and that a play is
repeated if it could prove nothing: after a false start, or when a promise was broken
while the machine stood still. Must not know how anything is shown.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from traceback import format_exception_only

import pytest

from tests.processes.report import Report
from tests.scenarios.always import ALWAYS
from tests.scenarios.evidence import Evidence
from tests.scenarios.figures import NAMES, SOON, STILL
from tests.scenarios.judging import Broken, Time
from tests.scenarios.pulse import Pulse
from tests.scenarios.scenario import Promise, Scenario, Side
from tests.scenarios.stage import Abandoned, FalseStart, Stage, staged
from tests.scenarios.stores import STORES, Place, Store

LOOPS = ("trio", "asyncio")
TOO_OFTEN = 3


class Outcome(StrEnum):
    """What became of a performance: one that is stuck didn't come to its end."""

    KEPT = "kept"
    BROKEN = "broken"
    STUCK = "stuck"
    NOT_PLAYED = "not played"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A promise, as it was kept: how it was broken, if it was, and a time."""

    promise: str
    problem: str | None = None
    time: Time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """A scenario on one store, as it went.

    ``why`` says why it failed or wasn't played. ``took`` is in seconds, ``loops`` are
    those that A, B and C ran on; ``again`` says why it was played again, each time that
    it was. ``ended`` is when the play was over, by the machine's
    monotonic clock, as the reports have it.
    """

    scenario: int
    store: Store
    outcome: Outcome
    why: str = ""
    loops: Sequence[str] = ()
    again: Sequence[str] = ()
    verdicts: Sequence[Verdict] = ()
    reports: Sequence[Report] = ()
    took: float = 0.0
    ended: float | None = None


class Playing:
    """A scenario that is being played on one store, to be looked at meanwhile."""

    def __init__(self, scenario: Scenario, place: Place, folder: Path) -> None:
        self.scenario = scenario
        self.place = place
        self.performance: Performance | None = None
        self._folder = folder
        self._stage: Stage | None = None
        self._abandoned = False

    @property
    def side(self) -> Side:
        """What is promised on this kind of store."""
        return self.scenario.side(self.place.store.leases)

    def reports(self) -> Sequence[Report]:
        """Return what was reported so far."""
        if self.performance is not None:
            return self.performance.reports
        return self._stage.cluster.reports() if self._stage else []

    def abandon(self) -> None:
        """Let it end soon, from another thread."""
        self._abandoned = True
        if self._stage is not None:
            self._stage.abandoned.set()

    def play(self) -> Performance:
        """Play it, judge it, and return the performance; it is kept here, too."""
        self.performance = self._played()
        return self.performance

    def _played(self) -> Performance:
        store = self.place.store
        if why := self.side.not_on.get(store.name):
            return self._told(Outcome.NOT_PLAYED, why)
        try:
            return self._played_in_time()
        except Abandoned:
            return self._told(Outcome.NOT_PLAYED, "interrupted")
        except pytest.skip.Exception as absent:
            # something that only this play needs isn't installed; CI has all
            missing = Outcome.FAILED if os.environ.get("CI") else Outcome.NOT_PLAYED
            return self._told(missing, str(absent))
        except Exception as error:  # noqa: BLE001  the others go on, and it is told
            return self._told(Outcome.FAILED, "\n".join(format_exception_only(error)))

    def _played_in_time(self) -> Performance:
        again: list[str] = []
        while len(again) < TOO_OFTEN:
            try:
                return replace(self._undisturbed(len(again)), again=again)
            except FalseStart as false:
                again.append(str(false))
        return replace(self._played_once(len(again)), again=again)

    def _undisturbed(self, number: int) -> Performance:
        with Pulse() as pulse:
            found = self._played_once(number)
        if found.outcome is not Outcome.KEPT and pulse.longest > STILL:
            raise FalseStart(f"the machine stood still for {pulse.longest:.2f} s")
        return found

    def _played_once(self, number: int) -> Performance:
        folder, soon = self._folder / str(number), SOON * 2**number
        folder.mkdir(parents=True)
        began = time.monotonic()
        with staged(self.place, folder, self._loops(), soon) as stage:
            self._stage = stage
            if self._abandoned:
                raise Abandoned
            stuck = self._stuck(stage)
            ended = time.monotonic()
            verdicts = judged((*self.side.promises, *ALWAYS), _left_by(stage, stuck))
            return Performance(
                scenario=self.scenario.number,
                store=self.place.store,
                outcome=Outcome.STUCK if stuck else _outcome(verdicts),
                why=stuck,
                loops=[stage.cluster.loop_of(who) for who in NAMES],
                verdicts=verdicts,
                reports=stage.cluster.reports(),
                took=time.monotonic() - began,
                ended=ended,
            )

    def _stuck(self, stage: Stage) -> str:
        """Play to the end; return what it waited for in vain, if anything."""
        try:
            self.side.play(stage)
        except AssertionError as error:
            return str(error)
        return ""

    def _loops(self) -> Sequence[str]:
        """Take turns, so that in each role both loops are seen on some store."""
        turn = (self.scenario.number + STORES.index(self.place.store)) % len(LOOPS)
        return LOOPS[turn:] + LOOPS[:turn]

    def _told(self, outcome: Outcome, why: str) -> Performance:
        return Performance(
            scenario=self.scenario.number,
            store=self.place.store,
            outcome=outcome,
            why=why,
            reports=self.reports(),
        )


def _outcome(verdicts: Sequence[Verdict]) -> Outcome:
    broken = any(verdict.problem is not None for verdict in verdicts)
    return Outcome.BROKEN if broken else Outcome.KEPT


def _left_by(stage: Stage, stuck: str) -> Evidence:
    try:
        return stage.evidence()
    except Exception as error:
        error.add_note(stuck)
        raise


def judged(promises: Sequence[Promise], evidence: Evidence) -> list[Verdict]:
    """Return what is found of each promise."""
    return [_verdict(promise, evidence) for promise in promises]


def _verdict(promise: Promise, evidence: Evidence) -> Verdict:
    try:
        return Verdict(promise=promise.text, time=promise.judge(evidence))
    except Broken as broken:
        return Verdict(promise=promise.text, problem=str(broken))
    except Exception as error:  # noqa: BLE001  what it needed to judge isn't there
        why = f"can't be judged, {type(error).__name__}: {error}"
        return Verdict(promise=promise.text, problem=why)
