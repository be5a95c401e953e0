"""What a backup does: it looks after runs of one job that others hold.

Decides when to ask for a takeover, and when there is nothing left to look after. Must
not know why a run came to be watched.

A check is a claim in takeover mode: "the next attempt, if its lease ran out". It is
sent one to two heartbeats after the last, drawn anew each time, since many backups may
watch the same run; or just after the lease's end, as far as that is known, if it is
sooner. What another reply tells anyway (a newer slot granted, a lease seen alive) moves
or ends the watch without a call.

While the lease should still be alive, the check names the attempt that is running: such
a claim can't win, it only tells. So a lease that is over too soon is seen before it is
acted on. Mostly it was handed over, and the next attempt is asked for at once. But if
the store's clock was set forward, every lease looks over, and a live runner is given
the time to beat once.

The token belongs to the wanted attempt and stays the same until an answer is final: a
claim that wins unheard is then answered "won" again by the next asking (T5).
"""

import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, assert_never

import anyio
import anyio.lowlevel

from anarchon.bridge.interrupts import spared
from anarchon.clock import read_both
from anarchon.engine.claims import new_claim
from anarchon.engine.job_state import JobState
from anarchon.events import Takeover
from anarchon.model import Overlap, Reason
from anarchon.protocol import (
    Claim,
    ClaimReply,
    Done,
    Early,
    Late,
    NoRun,
    Overlapping,
    Running,
    Won,
)
from anarchon.rules.lease import after_lease, ask_again, backoff

if TYPE_CHECKING:
    from anarchon.engine.session import Session


@dataclass(slots=True)
class Target:
    """A run that is watched: the claim for its next attempt, and when to ask.

    ``ask_at`` and ``lease_end`` are monotonic. ``first`` is why a first attempt was
    asked for, when this claim began as that. ``failures`` counts askings without an
    answer.
    """

    claim: Claim
    ask_at: float
    lease_end: float = -math.inf
    first: Reason | None = None
    failures: int = 0


class Watch:
    """The watched runs of one job, and the task that asks for them."""

    def __init__(self, session: "Session", state: JobState) -> None:
        self._session = session
        self._state = state
        self._targets: dict[int, Target] = {}
        self._running = False
        self._nap: anyio.CancelScope | None = None

    def __contains__(self, slot: int) -> bool:
        return slot in self._targets

    def see(self, slot: int, attempt: int, lease_end: float) -> None:
        """Look after somebody's attempt; its lease ends at ``lease_end``, monotonic."""
        if not self._session.instance.is_running(self._state.job.name, slot):
            self._look_after(slot, attempt + 1, lease_end)

    def lost(self, slot: int, attempt: int) -> None:
        """Look after a run that this instance had: somebody has it, or will."""
        self._look_after(slot, attempt + 1, None)

    def _look_after(self, slot: int, wanted: int, lease_end: float | None) -> None:
        target = self._targets.get(slot)
        # an unheard claim may be what is seen here: its own token asks first (T5)
        if target is None or (target.claim.attempt < wanted and not target.failures):
            instance, job = self._session.instance, self._state.job
            claim = new_claim(instance, job, slot, Reason.TAKEOVER, wanted)
            target = Target(claim, ask_at=0.0)
        target.lease_end = -math.inf if lease_end is None else lease_end
        self._watch(target, self._when(lease_end))

    def keep(self, claim: Claim, *, unheard: bool = False) -> None:
        """Look after a slot that was asked for, with the token it was asked with.

        ``unheard`` says that there was no answer: the claim may have won.
        """
        for slot, target in tuple(self._targets.items()):
            older = target.first is not None and slot < claim.slot
            if older and not target.failures:
                del self._targets[slot]
        takeover = replace(claim, mode=Reason.TAKEOVER)
        target = Target(takeover, ask_at=0.0, first=claim.mode, failures=int(unheard))
        self._watch(target, self._when(None))

    def granted(self, slot: int) -> None:
        """A slot was granted to somebody: what it replaced needs no backup."""
        if self._state.job.options.overlap is Overlap.SKIP:
            for older in [s for s in self._targets if s < slot]:
                del self._targets[older]

    def end(self) -> None:
        """Look after nothing more."""
        self._release_unknown()
        self._wake()

    def _watch(self, target: Target, ask_at: float) -> None:
        if self._session.stopping or self._state.removed:
            # the answer to a claim that was under way makes no backup any more
            if target.failures:
                self._session.release_unknown(target.claim)
            return
        target.ask_at = ask_at
        self._targets[target.claim.slot] = target
        if self._running:
            self._wake()
        else:
            self._running = True
            self._session.work.start_soon(self._run)

    def _wake(self) -> None:
        if self._nap is not None:
            self._nap.cancel()

    def _when(self, lease_end: float | None) -> float:
        now = self._session.instance.clock.monotonic()
        heartbeat = self._state.job.options.heartbeat
        at = now + ask_again(heartbeat, random.random())
        if lease_end is None:
            return at
        return min(at, max(now, lease_end) + after_lease(heartbeat, random.random()))

    @spared
    async def _run(self) -> None:  # noqa: ASYNC910  a task's body
        clock = self._session.instance.clock
        try:
            while self._targets:
                target = min(self._targets.values(), key=lambda t: t.ask_at)
                wait = target.ask_at - clock.monotonic()
                if wait > 0:
                    with anyio.CancelScope() as self._nap:
                        await clock.sleep(wait)
                    self._nap = None
                else:
                    await self._ask(target)
        finally:
            self._running = False
            self._release_unknown()

    def _release_unknown(self) -> None:
        # a claim that may have won must not leave a run that nobody knows of
        for target in self._targets.values():
            if target.failures:
                self._session.release_unknown(target.claim)
        self._targets.clear()

    async def _ask(self, target: Target) -> None:
        slot, session = target.claim.slot, self._session
        async with self._state.turn:
            if self._targets.get(slot) is not target:
                return
            instance, job = session.instance, self._state.job.name
            if instance.is_running(job, slot) or instance.is_stuck(job):
                target.ask_at = self._when(None)
                await anyio.lowlevel.checkpoint()
            elif await self._seems_over(target):
                sent = read_both(instance.clock)
                self._act(target, await session.calls.claim(target.claim), sent)

    async def _seems_over(self, target: Target) -> bool:
        """Tell whether to ask for the next attempt; first look, while it isn't due."""
        clock, time = self._session.instance.clock, self._session.time
        sent = read_both(clock)
        if sent[0] < target.lease_end:
            look = replace(target.claim, attempt=target.claim.attempt - 1)
            reply = await self._session.calls.claim(look)
            if not isinstance(reply, Running) or reply.left > 0:
                self._act(target, reply, sent)
                return False
        grace = time.stepped + 1.25 * self._state.job.options.heartbeat
        if clock.monotonic() >= grace or target.first is not None:
            return True  # noqa: ASYNC910  asking follows
        target.ask_at, target.lease_end = grace, -math.inf
        return False  # noqa: ASYNC910  waiting follows

    def _act(
        self,
        target: Target,
        reply: ClaimReply | None,
        sent: tuple[float, float],
    ) -> None:
        slot = target.claim.slot
        if reply is not None:
            target.failures = 0
        match reply:
            case Won():
                self._won(target, reply, sent)
            case Running():
                self.see(slot, reply.attempt, sent[0] + reply.left)
            case Overlapping():
                target.ask_at = self._when(None)
                self.see(reply.slot, reply.attempt, sent[0] + reply.left)
            case Done():
                self._targets.pop(slot, None)
                self._session.reports.ended(reply.ended)
            case NoRun() if reply.could:
                target.ask_at = self._when(None)
            case NoRun() | Late() | Early():
                self._targets.pop(slot, None)
            case None:
                target.failures += 1
                if self._targets.get(slot) is not target:
                    # nobody asks again: the job was removed meanwhile
                    self._session.release_unknown(target.claim)
                wait = backoff(target.failures, random.random())
                target.ask_at = self._session.instance.clock.monotonic() + wait
            case _:
                assert_never(reply)

    def _won(self, target: Target, reply: Won, sent: tuple[float, float]) -> None:
        session, claim = self._session, target.claim
        self._targets.pop(claim.slot, None)
        self.granted(claim.slot)
        reason = Reason.TAKEOVER if claim.attempt > 1 else target.first
        if claim.attempt > 1:
            instance = session.instance
            instance.tell(
                Takeover(
                    **instance.stamp(),
                    job=claim.job,
                    slot=claim.slot,
                    attempt=claim.attempt,
                    from_instance=reply.taken_from,
                    waited=reply.waited,
                )
            )
        reason = reason or Reason.SCHEDULED
        session.begin(session.lease_runner.won(self._state, claim, reply, sent, reason))
