"""What the steps of a store come to: who had which run, from when to when.

Decides how an attempt is known from the steps. It believes that a claim was granted and
a write accepted, and nothing else: whether that was right is for the invariants.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from anarchon.model import End
from anarchon.protocol import Answer, Claim, Done, Won
from property_tests.clusters.witness import Step


class Way(StrEnum):
    """How an attempt came to its end in the store."""

    FINISHED = "finished"
    RELEASED = "released"
    TAKEN = "taken over"
    REPLACED = "replaced by a newer run"
    USED_UP = "out of attempts"


@dataclass(slots=True, kw_only=True)
class Attempt:
    """An attempt that was granted; its lease was ``given`` at that store time, in ms.

    ``kept`` are the grant and the accepted heartbeats. ``left`` is when it was over,
    ``gone`` when its run was no longer its own, which after a release comes later.
    """

    claim: Claim
    given: int
    kept: list[Step] = field(default_factory=list[Step])
    way: Way | None = None
    end: End | None = None
    left: Step | None = None
    gone: Step | None = None

    @property
    def name(self) -> tuple[str, int, int]:
        """The job, the slot and the number of the attempt."""
        return self.claim.job, self.claim.slot, self.claim.attempt

    @property
    def granted(self) -> Step:
        """The step that granted it."""
        return self.kept[0]

    def alive(self, now: int) -> bool:
        """Tell whether its lease ends after ``now``, both by the store's clock."""
        return self.way is None and now < self.given + round(self.claim.lease * 1000)

    @property
    def given_up(self) -> bool:
        """Whether its run ended since there was no attempt left."""
        return self.gone is not None and isinstance(self.gone.reply, Done)

    def end_by(self, way: Way, step: Step, end: End | None = None) -> None:
        """Note that its time is over; the first way stays."""
        if self.way is None:
            self.way, self.left, self.end = way, step, end
        if way is not Way.RELEASED:
            self.gone = step


class Leases:
    """All attempts, kept up to date step by step.

    ``current`` holds, by job and slot, the last attempt of each unfinished run.
    """

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.attempts: list[Attempt] = []
        self.current: dict[tuple[str, int], Attempt] = {}
        self._of_token: dict[str, Attempt] = {}
        for step in steps:
            self.take(step)

    def of_token(self, token: str) -> Attempt | None:
        """Return the attempt that was granted to a token."""
        return self._of_token.get(token)

    def take(self, step: Step) -> None:
        """Let one more step happen."""
        if step.operation == "claim":
            self._look_at_leases(step)
        match step.reply, step.asked:
            case Won(), Claim() as claim:
                self._replace(step, step.reply)
                self._grant(step, claim)
            case Done(), _:
                self._use_up(step)
            case Answer(accepted=True), asked:
                self._keep_or_end(step, asked if isinstance(asked, End) else None)
            case _:
                pass

    def alive(self, job: str, now: int, but: int) -> list[Attempt]:
        """Return whose leases of a job, but for one slot, end after ``now``."""
        return [
            attempt
            for (name, slot), attempt in self.current.items()
            if name == job and slot != but and attempt.alive(now)
        ]

    def may_act(self, step: Step) -> bool:
        """Tell whether a step's token owns its run, or repeats what it has done."""
        attempt = self._of_token.get(step.token)
        current = self.current.get((step.job, step.slot))
        if attempt is None:
            return False
        match step.operation:
            case "release":
                return current is attempt
            case "finish" if attempt.end is not None:
                return attempt.end == step.asked
            case _:
                return current is attempt and attempt.way is None

    def is_new(self, step: Step) -> bool:
        """Tell whether a step grants an attempt, rather than saying so once more."""
        if not isinstance(step.reply, Won):
            return False
        current = self.current.get((step.job, step.slot))
        return current is None or current.claim.token != step.token

    def _look_at_leases(self, step: Step) -> None:
        # one that was given later than now counts as given when somebody looks (L9)
        for (job, _), attempt in self.current.items():
            if job == step.job:
                attempt.given = min(attempt.given, step.now)

    def _replace(self, step: Step, won: Won) -> None:
        for record in won.ended:
            self.current.pop((record.job, record.slot)).end_by(Way.REPLACED, step)

    def _grant(self, step: Step, claim: Claim) -> None:
        if not self.is_new(step):
            return
        before = self.current.get((step.job, step.slot))
        if before is not None:
            before.end_by(Way.TAKEN, step)
        attempt = Attempt(claim=claim, given=step.now, kept=[step])
        self.attempts.append(attempt)
        self._of_token[claim.token] = attempt
        self.current[step.job, step.slot] = attempt

    def _use_up(self, step: Step) -> None:
        assert isinstance(step.reply, Done)
        for record in step.reply.ended:
            self.current.pop((record.job, record.slot)).end_by(Way.USED_UP, step)

    def _keep_or_end(self, step: Step, end: End | None) -> None:
        attempt = self.current.get((step.job, step.slot))
        if attempt is None or attempt.claim.token != step.token:
            return
        match step.operation:
            case "heartbeat":
                attempt.kept.append(step)
                attempt.given = step.now
            case "release":
                attempt.end_by(Way.RELEASED, step)
            case _:
                del self.current[step.job, step.slot]
                attempt.end_by(Way.FINISHED, step, end)
