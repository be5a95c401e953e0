"""What the engine tells of claims, of the store and of its clock.

Decides how these become events. What a run tells of itself is in ``run``. Must not know
when anything is told.
"""

from collections.abc import Sequence

from anarchon.engine.instance import Instance
from anarchon.engine.job_state import JobState
from anarchon.events import ClockSkew, Error, Interrupted, Skip
from anarchon.jobs import Job
from anarchon.log import logger
from anarchon.model import RunRecord
from anarchon.protocol import Claim, Done, Reply

# a newest slot this far ahead of the store's clock blocks the job until then (L9)
FAR_AHEAD = 60_000


class Reports:
    """One instance's voice."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def error(
        self,
        operation: str,
        error: str,
        about: tuple[str, int, int] | None = None,
        *,
        again: bool = False,
    ) -> None:
        """Tell that something went wrong with the store; ``about`` is an attempt."""
        job, slot, attempt = about or (None, None, None)
        self._instance.tell(
            Error(
                **self._instance.stamp(),
                operation=operation,
                error=error,
                job=job,
                slot=slot,
                attempt=attempt,
                again=again,
            )
        )

    def answers_again(self, after: float) -> None:
        """Log that the store was silent for so many seconds, and is no more."""
        who = self._instance.instance_id
        logger.warning("store answers again after %.1f s instance_id=%s", after, who)

    def unexpected(self, claim: Claim, reply: Reply) -> None:
        """Tell of an answer that a store must not give to this claim."""
        about = (claim.job, claim.slot, claim.attempt)
        self.error("claim", f"unexpected answer {reply!r}", about)

    def broken(self, state: JobState, error: Exception) -> None:
        """Tell that a schedule raised, or answered what none may."""
        text = f"{state.job.name!r}: {type(error).__name__}: {error}"
        self.error("schedule", text)

    def newest(self, state: JobState, done: Done) -> None:
        """Tell once if a newest slot in the future keeps the job from running (L9)."""
        if done.newest is None or done.now is None:
            return
        ahead = done.newest - done.now
        if ahead > FAR_AHEAD and not state.far_ahead:
            self.error(
                "claim",
                f"the newest granted slot of {state.job.name!r} is {ahead / 1000:g} s "
                "ahead of the store's clock: nothing older is granted. See 'A clock "
                "that was set back' in docs/laws.md for the reset",
                (state.job.name, done.newest, 1),
            )
        state.far_ahead = ahead > FAR_AHEAD

    def skip(self, job: Job, slot: int, reason: str, by: str | None = None) -> None:
        """Tell that a scheduled or catch-up claim did not win."""
        stamp = self._instance.stamp()
        self._instance.tell(
            Skip(**stamp, job=job.name, slot=slot, attempt=1, reason=reason, by=by)
        )

    def ended(self, records: Sequence[RunRecord]) -> None:
        """Tell of runs that ended for good without their runner."""
        for record in records:
            self._instance.tell(
                Interrupted(
                    **self._instance.stamp(),
                    job=record.job,
                    slot=record.slot,
                    attempt=record.attempt,
                    record=record,
                    handed_over=record.handed_over,
                    final=True,
                )
            )

    def skew(self, offset: float) -> None:
        """Tell that the wall clock is off by over a second, or right again."""
        self._instance.tell(ClockSkew(**self._instance.stamp(), offset=offset))
