"""The random delay before a claim.

Decides how long it may be. Must not know where chance comes from.
"""


def jitter_for(jitter: float, slot: int, following: int, share: float) -> int:
    """Return the delay in milliseconds: a ``share`` (0 to 1) of the longest allowed.

    That is ``jitter`` seconds, but never over half of the gap to the following slot, so
    that a slot is always claimed before the next one is due.
    """
    longest = min(jitter * 1000, (following - slot) / 2)
    return int(longest * share)
