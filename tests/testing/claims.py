"""Claims for the tests of the helpers: everything usual, but for what a test names."""

from dataclasses import replace

from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim
from anarchon.testing.clocks import EPOCH

SLOT = round(EPOCH * 1000)
SUCCESS = End(status=Status.SUCCESS, duration=0.0)

_USUAL = Claim(
    job="sync",
    slot=SLOT,
    token="a1",
    attempt=1,
    instance_id="A",
    mode=Reason.SCHEDULED,
    lease=30.0,
    overlap=Overlap.SKIP,
    max_attempts=3,
    limit=3_600.0,
    startable=3_600.0,
    keep=100,
    keep_for=60.0,
)


def a_claim(
    *,
    token: str = "a1",
    slot: int = SLOT,
    attempt: int = 1,
    mode: Reason = Reason.SCHEDULED,
) -> Claim:
    """Return a claim for the slot at the clock's epoch."""
    return replace(_USUAL, token=token, slot=slot, attempt=attempt, mode=mode)
