"""What is drawn for a program: slots, tokens' owners, options of claims, ends.

Decides which values there are. Must not know what is asked with them.
"""

from dataclasses import dataclass
from typing import NamedTuple

from hypothesis import strategies as st

from anarchon.model import End, Overlap, Reason, Status

STEP = 10_000

# few enough that what belongs together meets
jobs = st.sampled_from([0, 1])
claimers = st.sampled_from("ABC")
picks = st.integers(0, 99)
durations = st.sampled_from([0.5, 1.0])
errors = st.sampled_from([None, "boom"])
statuses = st.sampled_from([Status.SUCCESS, Status.FAILED, Status.INTERRUPTED])
ends = st.builds(End, status=statuses, duration=durations, error=errors)
modes = st.sampled_from([*[Reason.SCHEDULED] * 3, Reason.CATCH_UP, Reason.TAKEOVER])
keeps = st.sampled_from([1, 2, 5])
moves = st.sampled_from([1, 500, 4_999, STEP, 30_001, 3_600_000, -1, -5_000, -31_000])


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a claim asks for, beside an attempt."""

    lease: float
    overlap: Overlap
    max_attempts: int
    limit: float
    startable: float
    keep: int
    keep_for: float


options = st.builds(
    Options,
    lease=st.sampled_from([5.0, 30.0]),
    overlap=st.sampled_from([Overlap.SKIP, Overlap.SKIP, Overlap.ALLOW]),
    max_attempts=st.integers(1, 3),
    limit=st.sampled_from([60.0, 5.0]),
    startable=st.sampled_from([60.0, 5.0]),
    keep=keeps,
    keep_for=st.sampled_from([0.0, 10.0, 60.0]),
)


class Asked(NamedTuple):
    """The attempt that a claim wants, and the mode in which it asks."""

    job: str
    slot: int
    attempt: int
    mode: Reason
