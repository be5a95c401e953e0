"""How a claim is answered: one job's unfinished runs in, reply and changes out.

Decides laws L1 to L6 and L9 for every store that can run Python inside its atomic
step. Must not know how a store keeps runs, nor read a clock. All times here are
integers, milliseconds by the store's clock.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from anarchon.backends.clock import milliseconds
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An unfinished run and its current attempt.

    ``until`` is the end of its lease and ``lease`` the length that it was last given,
    none when it was released. ``spent`` says that the token was released, ``freed`` how
    many attempts were.
    """

    slot: int
    attempt: int
    token: str
    instance_id: str
    until: int
    lease: int
    spent: bool = False
    freed: int = 0

    def held_by(self, token: str) -> bool:
        """Whether this token may still act on the run (L7, L8)."""
        return self.token == token and not self.spent

    def left(self, now: int) -> float:
        """Return what the lease has left, in seconds; zero or less when it ran out."""
        return min(self.until - now, self.lease) / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A reply, and what has to be written with it in the same step.

    ``granted`` is the run as it stands now, in place of ``taken_over`` if there was an
    attempt before. The runs in ``over`` are deleted. The record of the last attempt of
    ``taken_over`` and of each run in ``over`` ends as interrupted unless it has ended.
    """

    reply: ClaimReply
    granted: Run | None = None
    taken_over: Run | None = None
    over: tuple[Run, ...] = ()


def set_back(runs: Iterable[Run], now: int) -> list[Run]:
    """Return, corrected, the runs whose lease ends too far ahead to be true (L9).

    That happens when the store's clock was set back; whoever sees it must write it, so
    that these leases run out.
    """
    return [
        replace(run, until=now + run.lease)
        for run in runs
        if run.until > now + run.lease
    ]


def decide(
    claim: Claim,
    now: int,
    newest: int | None,
    runs: Mapping[int, Run],
    last_runner: Callable[[int], str | None],
) -> Decision:
    """Answer a claim on a lease store.

    ``newest`` is the newest slot of the job that was ever granted, ``runs`` its
    unfinished runs by slot, oldest first. ``last_runner`` tells from the records who
    ran a slot last; it is asked only about a slot that has no unfinished run.
    """
    run = runs.get(claim.slot)
    if run is not None:
        return _next_attempt(claim, now, newest, runs, run)
    if newest is not None and claim.slot <= newest:
        return _done(now, newest, last_runner(claim.slot))
    if claim.mode is Reason.TAKEOVER:
        could = now <= claim.slot + milliseconds(claim.startable)
        return Decision(reply=NoRun(now=now, could=could))
    if refused := _untimely(claim, now) or _overlap(claim, now, runs):
        return Decision(reply=refused)
    return _first_attempt(claim, now, over=_replaced(claim, runs))


def decide_once(
    claim: Claim,
    now: int,
    newest: int | None,
    runs: Mapping[int, Run],
    last_runner: Callable[[int], str | None],
) -> Decision:
    """Answer a claim on a claim-only store: each slot is granted once, and for good.

    The arguments are those of ``decide``; ``last_runner`` is asked about any slot.
    """
    run = runs.get(claim.slot)
    if run is not None and run.held_by(claim.token):
        return _won_again(run, now)
    if (runner := last_runner(claim.slot)) is not None:
        return Decision(reply=Running(now=now, attempt=1, left=0.0, instance_id=runner))
    if newest is not None and claim.slot <= newest:
        return _done(now, newest, None)
    if refused := _untimely(claim, now):
        return Decision(reply=refused)
    return _first_attempt(claim, now)


def _next_attempt(
    claim: Claim, now: int, newest: int | None, runs: Mapping[int, Run], run: Run
) -> Decision:
    if run.held_by(claim.token):
        return _won_again(run, now)
    if run.until > now or claim.attempt != run.attempt + 1:
        return _running(run, now)
    if refused := _overlap(claim, now, runs):
        return Decision(reply=refused)
    if run.attempt - run.freed >= claim.max_attempts:
        return _used_up(now, newest, run)
    return _take_over(claim, now, run)


def _won_again(run: Run, now: int) -> Decision:
    return Decision(reply=Won(now=now, attempt=run.attempt, left=run.left(now)))


def _running(run: Run, now: int) -> Decision:
    reply = Running(
        now=now, attempt=run.attempt, left=run.left(now), instance_id=run.instance_id
    )
    return Decision(reply=reply)


def _done(now: int, newest: int, runner: str | None) -> Decision:
    reply = Done(now=now, superseded=runner is None, newest=newest, instance_id=runner)
    return Decision(reply=reply)


def _used_up(now: int, newest: int | None, run: Run) -> Decision:
    reply = Done(now=now, superseded=False, newest=newest, instance_id=run.instance_id)
    return Decision(reply=reply, over=(run,))


def _untimely(claim: Claim, now: int) -> Early | Late | None:
    if claim.slot > now:
        return Early(now=now)
    if now > claim.slot + milliseconds(claim.limit):
        return Late(now=now)
    return None


def _overlap(claim: Claim, now: int, runs: Mapping[int, Run]) -> Overlapping | None:
    if claim.overlap is Overlap.ALLOW:
        return None
    for other in runs.values():
        if other.slot != claim.slot and other.until > now:
            return Overlapping(
                now=now,
                slot=other.slot,
                attempt=other.attempt,
                left=other.left(now),
                instance_id=other.instance_id,
            )
    return None


def _replaced(claim: Claim, runs: Mapping[int, Run]) -> tuple[Run, ...]:
    if claim.overlap is Overlap.ALLOW:
        return ()
    # nothing else of the job is alive here, so every older run is dead
    return tuple(run for run in runs.values() if run.slot < claim.slot)


def _first_attempt(claim: Claim, now: int, over: tuple[Run, ...] = ()) -> Decision:
    reply = Won(now=now, attempt=1, left=claim.lease)
    return Decision(reply=reply, granted=_granted(claim, 1, now), over=over)


def _take_over(claim: Claim, now: int, run: Run) -> Decision:
    reply = Won(
        now=now,
        attempt=claim.attempt,
        left=claim.lease,
        taken_from=run.instance_id,
        waited=(now - run.until) / 1000,
    )
    granted = _granted(claim, claim.attempt, now, freed=run.freed)
    return Decision(reply=reply, granted=granted, taken_over=run)


def _granted(claim: Claim, attempt: int, now: int, freed: int = 0) -> Run:
    lease = milliseconds(claim.lease)
    return Run(
        slot=claim.slot,
        attempt=attempt,
        token=claim.token,
        instance_id=claim.instance_id,
        until=now + lease,
        lease=lease,
        freed=freed,
    )
