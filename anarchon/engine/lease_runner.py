"""From a slot that is due to a run, on a lease store.

Decides what each answer to a scheduled or catch-up claim means for this instance. Must
not know when slots are due.

Between the reply "won" and the run there is no await: a stop that comes with the reply
finds the run and hands it over.
"""

from typing import TYPE_CHECKING, assert_never

from anarchon.engine.asking import Asked, ask, may_ask
from anarchon.engine.claims import first_claim
from anarchon.engine.job_state import JobState
from anarchon.engine.leased_run import LeasedRun
from anarchon.engine.trust import Trust
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


class LeaseRunner:
    """Asks for slots, runs what is won, and leaves the rest to the watch."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    async def __call__(
        self, state: JobState, slot: int, mode: Reason
    ) -> LeasedRun | None:
        """Ask for a slot when it is this job's turn; return the run if it was won."""
        async with state.turn:
            return await self.claim(state, slot, mode)

    async def claim(self, state: JobState, slot: int, mode: Reason) -> LeasedRun | None:
        """Ask for a slot and act on the answer; return the run if it was won.

        The job's turn is the caller's. Cancelled with the answer, it still returns.
        """
        session = self._session
        claim = first_claim(session.instance, state, slot, mode)
        if not may_ask(session, state, claim):
            return None  # noqa: ASYNC910  nothing was asked
        asked = await ask(session, claim)
        if isinstance(asked.reply, Won):
            if state.watch is not None:
                state.watch.granted(slot)
            return self.won(state, claim, asked.reply, asked.sent, mode)
        self._not_won(state, claim, asked)
        return None

    def _not_won(self, state: JobState, claim: Claim, asked: Asked) -> None:
        session, job, slot = self._session, state.job, claim.slot
        watch = session.watch_of(state)
        reply = asked.reply
        match reply:
            case Running():
                session.reports.skip(job, slot, "taken", reply.instance_id)
                watch.granted(slot)
                watch.see(slot, reply.attempt, asked.sent[0] + reply.left)
            case Overlapping():
                session.reports.skip(job, slot, "overlap", reply.instance_id)
                watch.see(reply.slot, reply.attempt, asked.sent[0] + reply.left)
                watch.keep(claim)
            case Late():
                session.reports.skip(job, slot, "late")
            case Done():
                why = "superseded" if reply.superseded else "taken"
                session.reports.skip(job, slot, why, reply.instance_id)
                session.reports.newest(state, reply)
                session.reports.ended(reply.ended)
            case None:
                session.reports.skip(job, slot, "late")
                watch.keep(claim, unheard=True)
            case Early():
                state.early = claim
                session.timers.arm(state)
            case Won() | NoRun():
                # handled by the caller, and an answer to a takeover only
                session.reports.unexpected(claim, reply)
            case _:
                assert_never(reply)

    def won(
        self,
        state: JobState,
        claim: Claim,
        reply: Won,
        sent: tuple[float, float],
        reason: Reason,
    ) -> LeasedRun:
        """Make the run that was won; without an await since the answer."""
        session = self._session
        session.reports.ended(reply.ended)
        trust = Trust(session.instance.clock)
        trust.extend(sent, reply.left)
        started = session.time.now() if reply.now is None else float(reply.now)
        run = LeasedRun(
            session, state.job, claim, reason=reason, started=started, trust=trust
        )
        session.adopt(run)
        return run
