"""A run that somebody asked for: of its own, known by its token.

Decides how it is recorded and waited for. It takes no part in claims: it blocks nothing
and nothing blocks it, nobody watches it, and its one record is written at its end.
"""

from typing import TYPE_CHECKING

import anyio

from anarchon.engine.boundary import Ending
from anarchon.engine.claims import new_token
from anarchon.engine.run import Run
from anarchon.engine.settle import until_answered
from anarchon.jobs import Job
from anarchon.model import CancelReason, Reason, RunRecord
from anarchon.rules.lease import call_bound, settle_limit

if TYPE_CHECKING:
    from anarchon.engine.session import Session


class ManualRun(Run):
    """A run that ``run_now`` started on this instance."""

    manual = True
    backed_up = False

    def __init__(self, session: "Session", job: Job) -> None:
        now = int(session.time.now())
        super().__init__(
            session,
            job,
            slot=now,
            attempt=1,
            token=new_token(),
            reason=Reason.MANUAL,
            fence=None,
            started=now,
        )
        self._ended = anyio.Event()
        self._end: RunRecord | None = None

    @property
    def in_the_way(self) -> bool:
        """Whether it blocks claims: it blocks nothing."""
        return False

    async def __call__(self) -> None:
        """Live as every run does, and let go of whoever waits for the record."""
        try:
            await super().__call__()
        finally:
            self._ended.set()

    async def result(self) -> RunRecord:
        """Wait for the record; a caller who is cancelled cancels the run.

        Such a caller still waits, for ``stop_timeout`` seconds at most, until the
        handler has ended.
        """
        try:
            await self._ended.wait()
        except anyio.get_cancelled_exc_class():
            self.cancellation.cancel(CancelReason.CALLER)
            patience = self.session.instance.stop_timeout
            with anyio.CancelScope(
                shield=True, deadline=anyio.current_time() + patience
            ):
                await self._ended.wait()
            raise
        assert self._end is not None
        return self._end

    async def write_end(self, ending: Ending) -> None:
        """Write the one record of this run."""
        options = self.job.options
        bound = call_bound(options.lease)
        record = self.end_record(ending)

        async def write() -> bool | None:
            calls, token = self.session.calls, self.context.token
            return await calls.record(record, token, options.keep, bound) or None

        limit = settle_limit(options.lease, self.session.instance.stop_timeout)
        await until_answered(write, limit, self.session.instance.clock)
        self.tell_end(ending)

    def end_record(
        self, ending: Ending, ended: int | None = None, handed_over: bool = False
    ) -> RunRecord:
        """Make the record once: what was written is what is told and returned.

        Its instants are whole milliseconds, since no store keeps more.
        """
        if self._end is None:
            now = int(self.session.time.now()) if ended is None else ended
            self._end = super().end_record(ending, now, handed_over)
        return self._end
