"""How a first attempt is asked for, until there is an answer.

Decides whether to ask, when to ask again and when to give up. Must not know what the
answers mean, except that "early" means "wait the rest", if that is short: a clock that
was set back by more makes a new plan necessary, which is the timers' business.
"""

import random
from typing import TYPE_CHECKING, NamedTuple

import anyio

from anarchon.bridge.stray import is_stray
from anarchon.clock import read_both
from anarchon.engine.job_state import JobState
from anarchon.protocol import Claim, ClaimReply, Early, Late
from anarchon.rules.lease import backoff

if TYPE_CHECKING:
    from anarchon.engine.session import Session


# seconds; while a claim waits, no other claim of its job is sent
SHORT_WAIT = 1.0


class Asked(NamedTuple):
    """The last reply, ``None`` for none, and both clocks before it was asked for."""

    reply: ClaimReply | None
    sent: tuple[float, float]


def may_ask(session: "Session", state: JobState, claim: Claim) -> bool:
    """Return whether to ask now, when it is the job's turn; tell why not.

    A slot may have waited long for its turn: the host was frozen, or the store silent.
    """
    job, instance = state.job, session.instance
    if state.removed:
        return False
    if _time_left(session, claim) < 0:
        session.reports.skip(job, claim.slot, "late")
        return False
    if instance.is_stuck(job.name):
        session.reports.skip(job, claim.slot, "overlap", instance.instance_id)
        return False
    return True


async def ask(session: "Session", claim: Claim) -> Asked:
    """Ask with one token until there is an answer, while the run could still start.

    What found no room in that time is late, whatever the store would say.
    Cancelled while the outcome is unknown, it leaves the token to be released.
    """
    clock = session.instance.clock
    give_up = clock.monotonic() + _time_left(session, claim)
    failures = 0
    try:
        while True:
            async with session.calls.room:
                sent = read_both(clock)
                if sent[0] > give_up:
                    return Asked(None if failures else Late(now=None), sent)
                reply = await session.calls.claim(claim)
            wait = _early_by(claim, reply) if isinstance(reply, Early) else None
            if wait is not None and wait <= SHORT_WAIT:
                failures = 0
                await clock.sleep(wait)
            elif reply is not None or clock.monotonic() >= give_up:
                return Asked(reply, sent)
            else:
                failures += 1
                await clock.sleep(backoff(failures, random.random()))
    except anyio.get_cancelled_exc_class():
        if failures or is_stray():
            session.release_unknown(claim)
        raise


def _time_left(session: "Session", claim: Claim) -> float:
    """Return for how many seconds a run can still be started, as far as is known."""
    time = session.time
    passed = 0.0 if time.void else (time.now() - claim.slot) / 1000
    return claim.limit - passed


def _early_by(claim: Claim, reply: Early) -> float:
    ahead = 0 if reply.now is None else claim.slot - reply.now
    return max(ahead, 1) / 1000
