"""A run that was won on a claim-only store: nothing keeps it but this process.

Decides how its end is written. Must not know how the claim was won.
"""

from typing import TYPE_CHECKING

from anarchon.engine.boundary import Ending
from anarchon.engine.run import Run
from anarchon.engine.settle import until_answered
from anarchon.jobs import Job
from anarchon.model import Reason
from anarchon.protocol import Claim
from anarchon.rules.lease import settle_limit

if TYPE_CHECKING:
    from anarchon.engine.session import Session


class ClaimedRun(Run):
    """The only attempt of a run on a claim-only store."""

    backed_up = False

    def __init__(
        self, session: "Session", job: Job, claim: Claim, *, started: float
    ) -> None:
        super().__init__(
            session,
            job,
            slot=claim.slot,
            attempt=claim.attempt,
            token=claim.token,
            reason=Reason.SCHEDULED,
            fence=None,
            started=started,
        )
        self.claim = claim
        self._answered: int | None = None

    async def write_end(self, ending: Ending) -> None:
        """Write the result; an interrupted run is recorded, and nobody continues it."""
        # the same each time (L2), though the handler may go on meanwhile
        end = self.end(ending)

        async def finish() -> bool | None:
            answer = await self.session.calls.finish(self.claim, end)
            if answer is None:
                return None
            self._answered = answer.now
            return answer.accepted

        stop_timeout = self.session.instance.stop_timeout
        limit = settle_limit(self.claim.lease, stop_timeout)
        await until_answered(finish, limit, self.session.instance.clock)
        self.tell_end(ending, ended=self._answered)
