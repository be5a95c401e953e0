"""From a slot that is due to a run, on a claim-only store.

Decides what each answer to a claim means. Without leases nothing can be watched: a
claim that isn't won is a skip, and that is the end of it.
"""

from typing import TYPE_CHECKING, assert_never

from anarchon.engine.asking import ask, may_ask
from anarchon.engine.claimed_run import ClaimedRun
from anarchon.engine.claims import first_claim
from anarchon.engine.job_state import JobState
from anarchon.jobs import Job
from anarchon.model import Reason
from anarchon.protocol import (
    Claim,
    Done,
    Early,
    Late,
    NoRun,
    Overlapping,
    Running,
    Won,
)

if TYPE_CHECKING:
    from anarchon.engine.session import Session


class ClaimRunner:
    """Asks for slots and runs what is won."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    async def __call__(
        self, state: JobState, slot: int, mode: Reason
    ) -> ClaimedRun | None:
        """Ask for a slot when it is this job's turn; return the run if it was won."""
        async with state.turn:
            return await self._claim(state, slot, mode)

    async def _claim(
        self, state: JobState, slot: int, mode: Reason
    ) -> ClaimedRun | None:
        session, job = self._session, state.job
        claim = first_claim(session.instance, state, slot, mode)
        if not may_ask(session, state, claim):
            return None  # noqa: ASYNC910  nothing was asked
        reply, _ = await ask(session, claim)
        match reply:
            case Won():
                return self._won(job, claim, reply)
            case Running():
                session.reports.skip(job, slot, "taken", reply.instance_id)
            case Done():
                why = "superseded" if reply.superseded else "taken"
                session.reports.skip(job, slot, why, reply.instance_id)
                session.reports.newest(state, reply)
            case Late():
                session.reports.skip(job, slot, "late")
            case None:
                # won unheard, it would read "running" for ever
                session.release_unknown(claim)
                session.reports.skip(job, slot, "late")
            case Early():
                state.early = claim
                session.timers.arm(state)
            case Overlapping() | NoRun():
                session.reports.unexpected(claim, reply)
            case _:
                assert_never(reply)
        return None

    def _won(self, job: Job, claim: Claim, reply: Won) -> ClaimedRun:
        session = self._session
        started = session.time.now() if reply.now is None else float(reply.now)
        run = ClaimedRun(session, job, claim, started=started)
        session.adopt(run)
        return run
