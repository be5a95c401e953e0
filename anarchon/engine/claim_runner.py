"""From a slot that is due to a run, on a claim-only store.

Decides what each answer to a claim means. There is no lease, so there are no backups:
a claim that isn't won is a skip, and that is the end of it.
"""

from typing import TYPE_CHECKING

from anarchon.engine.asking import ask
from anarchon.engine.claimed_run import ClaimedRun
from anarchon.engine.job_state import JobState
from anarchon.model import Reason
from anarchon.protocol import Done, Running, Won

if TYPE_CHECKING:
    from anarchon.engine.session import Session


class ClaimRunner:
    """Asks for slots and runs what is won."""

    def __init__(self, session: "Session") -> None:
        self._session = session

    async def __call__(self, state: JobState, slot: int, mode: Reason) -> None:
        """Ask for a slot when it is this job's turn, and act on the answer."""
        session, job = self._session, state.job
        async with state.turn:
            if session.instance.is_stuck(job.name):
                by = session.instance.instance_id
                session.tell_skip(job, slot, "overlap", by)
                return
            claim = session.new_claim(job, slot, mode)
            reply, _ = await ask(session, claim)
            match reply:
                case Won():
                    now = reply.now
                    started = session.time.now() if now is None else float(now)
                    session.begin(ClaimedRun(session, job, claim, started=started))
                case Running():
                    session.tell_skip(job, slot, "taken", reply.instance_id)
                case Done():
                    why = "superseded" if reply.superseded else "taken"
                    session.tell_skip(job, slot, why, reply.instance_id)
                case _:
                    session.tell_skip(job, slot, "late")
