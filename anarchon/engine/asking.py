"""How a first attempt is asked for, until there is an answer.

Decides when a claim is asked again and when it is given up. Must not know what the
answers mean, except that "early" means "wait the rest", if that is short: a clock that
was set back by more makes a new plan necessary, which is the timers' business.
"""

import random
from typing import TYPE_CHECKING, NamedTuple

import anyio

from anarchon.protocol import Claim, ClaimReply, Early
from anarchon.rules.lease import backoff

if TYPE_CHECKING:
    from anarchon.engine.session import Session


# seconds; while a claim waits, no other claim of its job is sent
SHORT_WAIT = 1.0


class Asked(NamedTuple):
    """The last reply, ``None`` for none, and both clocks before it was asked for."""

    reply: ClaimReply | None
    sent: tuple[float, float]


async def ask(session: "Session", claim: Claim) -> Asked:
    """Ask with one token until there is an answer, while the run could still start.

    Cancelled while the outcome is unknown, it leaves the token to be released.
    """
    clock, give_up = session.instance.clock, _gives_up_at(session, claim)
    failures = 0
    try:
        while True:
            sent = (clock.monotonic(), clock.time())
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
        if failures:
            session.release_unknown(claim)
        raise


def _gives_up_at(session: "Session", claim: Claim) -> float:
    """Return the monotonic instant at which a run can no longer be started."""
    monotonic, time = session.instance.clock.monotonic(), session.time
    if time.void:
        return monotonic + claim.limit
    return monotonic + claim.limit - (time.now() - claim.slot) / 1000


def _early_by(claim: Claim, reply: Early) -> float:
    ahead = 0 if reply.now is None else claim.slot - reply.now
    return max(ahead, 1) / 1000
