"""The arithmetic of leases: how long to wait for what.

Decides the lengths of waits and bounds, in seconds. Must not know what waits. Random
parts come in as ``share``, a number from 0 to 1, so that each rule is a function.
"""

MAX_CALL = 5.0
RETRY_MAX = 5.0


def call_bound(lease: float) -> float:
    """Return how long a store call may take: a quarter of the lease, 5 s at most."""
    return min(lease / 4, MAX_CALL)


def trust_end(sent: float, left: float) -> float:
    """Return until when a runner may believe in its lease.

    Counted from before the request was sent, since the store's promise is no older
    than that; so the runner's belief ends before the store's promise does (T4).
    """
    return sent + left


def first_beat(heartbeat: float, trust_left: float, share: float) -> float:
    """Return the wait before the first heartbeat: a random part of one interval.

    Of a lease whose grant was heard of late, it leaves the half for the answer.
    """
    return min(heartbeat, max(trust_left, 0.0) / 2) * share


def next_beat(heartbeat: float, trust_left: float) -> float:
    """Return the wait after an accepted heartbeat: an interval, no longer than trust.

    A host that was frozen when the answer came has no trust left when it reads it.
    """
    return min(heartbeat, max(trust_left, 0.0))


def beat_bound(lease: float, trust_left: float) -> float:
    """Return how long a heartbeat may take: while there is trust, no longer than it."""
    bound = call_bound(lease)
    return min(bound, trust_left) if trust_left > 0 else bound


def beat_retry(heartbeat: float, trust_left: float) -> float:
    """Return the wait after an unanswered heartbeat: a second, less as trust ends."""
    wait = min(1.0, heartbeat)
    return min(wait, trust_left) if trust_left > 0 else wait


def ask_again(heartbeat: float, share: float) -> float:
    """Return a backup's wait before it asks: one to two heartbeats."""
    return heartbeat * (1 + share)


def after_lease(heartbeat: float, share: float) -> float:
    """Return a backup's delay past a lease's end: up to a quarter of a heartbeat."""
    return heartbeat / 4 * share


def backoff(failures: int, share: float) -> float:
    """Return the wait before asking again: doubling from 0.1 s to 5 s, half random."""
    ceiling = min(0.1 * 2.0 ** min(failures, 10), RETRY_MAX)
    return ceiling * (1 + share) / 2


def settle_limit(lease: float, stop_timeout: float) -> float:
    """Return how long a finish or release is asked for before it is given up.

    It outlasts a store that is silent for two leases; history is kept for at least as
    long, so that a repeated finish always finds its record (L10, T10).
    """
    return 2 * lease + stop_timeout
