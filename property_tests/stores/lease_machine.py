"""Random programs for lease stores: also takeovers, heartbeats and releases.

Decides what may be asked of them; ``lease_model`` says what is right.
"""

from typing import cast

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from anarchon.model import Overlap, Reason
from anarchon.protocol import Claim, LeaseStore, Unfinished
from property_tests.stores.calling import OpenStore
from property_tests.stores.draws import Asked, Options, claimers, options, picks
from property_tests.stores.late_model import LateJob
from property_tests.stores.lease_model import Job
from property_tests.stores.machine import MANY, StoreMachine
from property_tests.stores.stored import Run

MOST_ATTEMPTS = 3


class LeaseMachine(StoreMachine[Job]):
    """What instances may ask of a lease store about two jobs, in any order."""

    def __init__(self, opened: OpenStore, title: str) -> None:
        super().__init__(opened, title)
        self.leases = cast("LeaseStore", opened.store)

    def new_model(self, name: str) -> Job:
        """Return a job that nothing was asked about."""
        return Job(name)

    @precondition(lambda self: self.unfinished())
    @rule(pick=picks, off=st.sampled_from([0, -1, 1]))
    def lease_runs_out(self, pick: int, off: int) -> None:
        """Let the store's clock go on to the end of a lease, give or take 1 ms."""
        _, run = self.some_run(pick)
        self.clock.ms = max(self.clock.ms, run.until + off)

    @precondition(lambda self: self.unfinished())
    @rule(
        pick=picks,
        who=claimers,
        ahead=st.sampled_from([1, 1, 1, 0, 2]),
        options=options,
    )
    def take_over(self, pick: int, who: str, ahead: int, options: Options) -> None:
        """Ask as a backup does: for the next attempt, an old one or a future one."""
        name, run = self.some_run(pick)
        asked = Asked(name, run.slot, run.attempt + ahead, Reason.TAKEOVER)
        self.claim(self.new_claim(asked, who, options))

    @precondition(lambda self: self.unfinished())
    @rule(pick=picks, who=claimers, options=options)
    def take_over_in_time(self, pick: int, who: str, options: Options) -> None:
        """Ask as a backup does that has waited for the lease's end."""
        self.lease_runs_out(pick, 0)
        self.take_over(pick, who, 1, options)

    @precondition(lambda self: self.sent)
    @rule(pick=picks, lease=st.sampled_from([5.0, 30.0]))
    def heartbeat(self, pick: int, lease: float) -> None:
        """Beat under a token that was ever made, granted or not."""
        old = self.picked(pick)
        self.expect(
            f"heartbeat of {self.of(old)}, lease {lease}",
            self.models[old.job].heartbeat(old.slot, old.token, lease, self.clock.ms),
            self.opened.call(
                self.leases.heartbeat, old.job, old.slot, old.token, lease
            ),
        )

    @precondition(lambda self: self.sent)
    @rule(pick=picks)
    def release(self, pick: int) -> None:
        """Release under a token that was ever made, granted or not."""
        old = self.picked(pick)
        self.expect(
            f"release of {self.of(old)}",
            self.models[old.job].release(old.slot, old.token, self.clock.ms),
            self.opened.call(self.leases.release, old.job, old.slot, old.token),
        )

    @invariant()
    def unfinished_runs_are_as_the_laws_say(self) -> None:
        """Every unfinished run of every job, its attempt, runner and lease."""
        now = self.clock.ms
        runs = [run for job in self.models.values() for run in job.unfinished(now)]
        expected = Unfinished(now=now, runs=tuple(runs))
        self.same(expected, self.opened.call(self.leases.unfinished, self.names))

    def look_back(self) -> None:
        """L9: with its runners gone, every run ends after so many more takeovers."""
        for _ in range(MOST_ATTEMPTS + 1):
            for name, run in self.unfinished():
                self.clock.ms = max(self.clock.ms, run.until)
                self.claim(self.last_claim(name, run))
        assert [] == self.unfinished()
        super().look_back()
        self.unfinished_runs_are_as_the_laws_say()

    def last_claim(self, name: str, run: Run) -> Claim:
        """Return the claim of a backup that nothing but the laws can refuse."""
        return Claim(
            job=name,
            slot=run.slot,
            token=f"z{run.attempt + 1}@{run.slot}",
            attempt=run.attempt + 1,
            instance_id="Z",
            mode=Reason.TAKEOVER,
            lease=1.0,
            overlap=Overlap.ALLOW,
            max_attempts=MOST_ATTEMPTS,
            limit=60.0,
            startable=60.0,
            keep=MANY,
            keep_for=0.0,
        )

    def held(self) -> list[Claim]:
        """Return the claims whose tokens may act on a run."""
        tokens = [run.token for _, run in self.unfinished() if not run.spent]
        return [claim for claim in self.won if claim.token in tokens]

    def unfinished(self) -> list[tuple[str, Run]]:
        """Return all unfinished runs, each with its job's name."""
        return [
            (name, run)
            for name, job in self.models.items()
            for run in job.runs.values()
        ]

    def some_run(self, pick: int) -> tuple[str, Run]:
        """Return an unfinished run and its job's name; pick 0 is the newest."""
        runs = self.unfinished()
        return runs[-1 - pick % len(runs)]


class LateMachine(LeaseMachine):
    """The same for a store that drops records when it suits it."""

    def new_model(self, name: str) -> Job:
        """Return a job that nothing was asked about."""
        return LateJob(name)
