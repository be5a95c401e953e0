"""How a runner keeps its lease, and how it learns that it has lost it.

Decides when a lease is pushed forward and when a run counts as lost. Must not know the
handler: the run is told, and does the rest.

The beats run in the host's loop and in the run's own scope, on purpose: a host that is
frozen or blocked stops beating, and that is how it gets fenced. On waking it asks once
before anything else is believed, also when a beat was under way: accepted, it goes on;
refused, the run is lost; no answer and no trust left, it is lost by silence.
"""

from typing import Protocol

from anarchon.clock import Clock
from anarchon.engine.calls import StoreCalls
from anarchon.engine.trust import Trust
from anarchon.protocol import Claim
from anarchon.rules.lease import beat_bound, beat_retry, call_bound, next_beat


class Holder(Protocol):
    """What a heartbeat reports to."""

    def refused(self) -> None:
        """The store acts on another token now."""

    def silent(self) -> None:
        """No heartbeat was answered for a whole lease."""


async def beat(
    won: Claim,
    interval: float,
    trust: Trust,
    holder: Holder,
    calls: StoreCalls,
    clock: Clock,
) -> None:
    """Beat at once and until refused or cancelled.

    A beat under way is never cut in the middle.
    """
    while True:
        since, trusted = clock.monotonic(), trust.left > 0
        accepted = await beat_once(won, trust, calls)
        if accepted:
            await clock.sleep(next_beat(interval, trust.left))
        elif accepted is None:
            late = clock.monotonic() - since > call_bound(won.lease) + interval
            if trusted and late:
                # the host stood still, and that beat tells nothing of now
                continue
            _tell_silence(trust, holder)
            since, wait = clock.monotonic(), beat_retry(interval, trust.left)
            await clock.sleep(wait)
            if clock.monotonic() - since <= wait + interval:
                _tell_silence(trust, holder)
        else:
            holder.refused()
            return


def _tell_silence(trust: Trust, holder: Holder) -> None:
    if trust.left <= 0:
        holder.silent()


async def beat_once(won: Claim, trust: Trust, calls: StoreCalls) -> bool | None:
    """Ask once whether the attempt is still ours; ``None`` when nobody answers.

    The wait for the answer ends with the trust, so that silence is noticed no later
    than a backup can notice the lease's end.
    """
    sent = trust.sent()
    answer = await calls.heartbeat(won, beat_bound(won.lease, trust.left))
    if answer is None:
        return None
    if answer.accepted:
        trust.extend(sent, answer.left)
    return answer.accepted
