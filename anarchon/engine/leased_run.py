"""A run that is held by a lease.

Decides what a refusal and a silence of the store do to the run, and which write its end
is. Must not know how the claim was won.

Once a finish or a release was sent, its own answer decides, whatever a heartbeat says:
a heartbeat that is refused after a finish only shows that the finish arrived. After a
loss an ending is never a success: a lease that was not kept can't vouch for it.
"""

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from anarchon.engine.boundary import Ending
from anarchon.engine.heartbeat import beat, beat_once
from anarchon.engine.run import Run
from anarchon.engine.settle import until_answered
from anarchon.engine.trust import Trust
from anarchon.events import Lost
from anarchon.jobs import Job
from anarchon.model import CancelReason, LostContact, Overlap, Reason, Status
from anarchon.protocol import Answer, Claim
from anarchon.rules.lease import first_beat, settle_limit

if TYPE_CHECKING:
    from anarchon.engine.pulse import FirstBeat
    from anarchon.engine.session import Session

REFUSED = "refused"
SILENCE = "silence"


class LeasedRun(Run):
    """An attempt that was won on a lease store, from the reply to the written end."""

    def __init__(
        self,
        session: "Session",
        job: Job,
        claim: Claim,
        *,
        reason: Reason,
        started: float,
        trust: Trust,
    ) -> None:
        skip = job.options.overlap is Overlap.SKIP
        super().__init__(
            session,
            job,
            slot=claim.slot,
            attempt=claim.attempt,
            token=claim.token,
            reason=reason,
            fence=(claim.slot, claim.attempt) if skip else None,
            started=started,
        )
        self.claim = claim
        self._trust = trust
        self._first_beat: FirstBeat | None = None
        self._beating: anyio.CancelScope | None = None
        self._lost: str | None = None
        self._ending = False
        self._writes = 0
        self._answered: int | None = None

    @property
    def in_the_way(self) -> bool:
        """Whether claims would overlap it, though the store may take it for dead."""
        skip = self.job.options.overlap is Overlap.SKIP
        adrift = skip and self._handling and self._trust.left <= 0
        return adrift or super().in_the_way

    async def confirm(self) -> bool:
        """Ask whether the run is ours, until an answer comes in time to be believed.

        Mostly that is the claim's own (T4).
        """
        while self._trust.left <= 0:
            if not await beat_once(self.claim, self._trust, self.session.calls):
                self._leave_to_backups()
                return False
        return True  # noqa: ASYNC910  mostly there is nothing to ask

    def begin_companions(self) -> None:
        """Beat from a random part of the first interval on."""
        heartbeat = self.job.options.heartbeat
        wait = first_beat(heartbeat, self._trust.left, random.random())
        self._first_beat = self.session.pulse.after(
            wait, lambda: self.accompany(self._beat)
        )

    def end_companions(self) -> None:
        """Let go of a first beat that is still to come."""
        if self._first_beat is not None:
            self._first_beat.cancel()

    async def _beat(self) -> None:
        with anyio.CancelScope() as self._beating:
            await beat(
                self.claim,
                self.job.options.heartbeat,
                self._trust,
                self,
                self.session.calls,
                self.session.instance.clock,
            )

    def refused(self) -> None:
        """The store acts on another token: cancel the handler, write nothing."""
        if not self._ending:
            self._lose(REFUSED)

    def silent(self) -> None:
        """A lease has passed unanswered: cancel the handler, unless told to go on."""
        if self._ending or self._lost:
            return
        if self.job.options.on_lost_contact is LostContact.CANCEL:
            self._lose(SILENCE)

    def _lose(self, cause: str) -> None:
        first = self._lost is None
        self._lost = cause
        if first:
            stamp = self.session.instance.stamp()
            self.session.instance.tell(Lost(**stamp, **self.about, cause=cause))
            self.lose_patience_after(self.session.instance.stop_timeout)
        if cause == REFUSED:
            self.cancellation.refuse()
        else:
            self.cancellation.cancel(CancelReason.LOST)

    async def give_up(self) -> None:
        """Beat no more, so that the lease runs out though the handler goes on.

        After a timeout the end is stored first.
        """
        await super().give_up()
        self.end_companions()
        if self._beating is not None:
            self._beating.cancel()
        if self.cancellation.reason is CancelReason.LOST:
            self._leave_to_backups()

    async def write_end(self, ending: Ending) -> None:  # noqa: ASYNC910  calls wait
        """Finish, or release what was interrupted; after a refusal write nothing."""
        self._ending = True
        ending = self._vouched_for(ending)
        accepted = await self._write(ending) if self._lost != REFUSED else False
        release = ending.status is Status.INTERRUPTED
        repeated = release and self._writes > 1
        if accepted is False and self._lost is None and not repeated:
            self._lose(REFUSED)
        # refused again while the lease can't have run out: an unanswered release was
        # stored, and somebody has taken the run up since
        stored = accepted or (repeated and accepted is False and self._trust.left > 0)
        handed_over = release and bool(stored)
        self.tell_end(ending, ended=self._answered, handed_over=handed_over)
        if not accepted or release:
            self._leave_to_backups()

    def tell_end(
        self, ending: Ending, *, ended: int | None = None, handed_over: bool = False
    ) -> None:
        """Tell the listeners how the attempt ended, as far as that is vouched for."""
        ending = self._vouched_for(ending)
        super().tell_end(ending, ended=ended, handed_over=handed_over)

    def _vouched_for(self, ending: Ending) -> Ending:
        if self._lost and ending.status is Status.SUCCESS:
            return replace(ending, status=Status.INTERRUPTED)
        return ending

    async def _write(self, ending: Ending) -> bool | None:
        async def release() -> bool | None:
            return self._accepted(await self.session.calls.release(self.claim))

        # the same each time (L2), though the handler may go on meanwhile
        end = self.end(ending)

        async def finish() -> bool | None:
            return self._accepted(await self.session.calls.finish(self.claim, end))

        write = release if ending.status is Status.INTERRUPTED else finish
        limit = settle_limit(self.claim.lease, self.session.instance.stop_timeout)
        return await until_answered(write, limit, self.session.instance.clock)

    def _accepted(self, answer: Answer | None) -> bool | None:
        self._writes += 1
        if answer is None:
            return None
        self._answered = answer.now
        return answer.accepted

    def _leave_to_backups(self) -> None:
        self.session.lost(self.job.name, self.slot, self.attempt)
