"""The arithmetic of leases over all options, and whatever a store's answers take."""

from itertools import pairwise
from typing import NamedTuple

from hypothesis import example, given
from hypothesis import strategies as st

from anarchon.rules import lease as rules
from anarchon.rules.lease import MAX_CALL, RETRY_MAX

# a sum of a few floats is off by less
ALMOST = 1e-6


class Options(NamedTuple):
    """A lease and a heartbeat that a job may have, in seconds."""

    lease: float
    heartbeat: float


class Delay(NamedTuple):
    """How much of its bound an answer takes, and how much of that the way there."""

    total: float
    there: float


@st.composite
def some_options(draw: st.DrawFn) -> Options:
    """Draw a heartbeat, and a lease of at least three."""
    heartbeat = draw(st.floats(0.001, 3_600))
    return Options(heartbeat * draw(st.floats(3, 100)), heartbeat)


options = some_options()
shares = st.floats(0, 1)
trusts = st.floats(-1e9, 1e9)
delays = st.builds(Delay, shares, shares)
failures = st.integers(0, 10**6)

LEAST = Options(3.0, 1.0)
AT_LAST = Delay(1.0, 1.0)


@given(options, trusts, shares)
@example(LEAST, 0.0, 1.0)
@example(LEAST, 5e-324, 1.0)
def test_beats_wait_no_longer_than_an_interval_and_trust(
    given_options: Options, trust: float, share: float
) -> None:
    """No wait is negative, or longer than the heartbeat or the trust that is left."""
    lease, heartbeat = given_options
    trusted = max(trust, 0.0)
    first = rules.first_beat(heartbeat, trust, share)
    assert 0 <= first <= min(heartbeat, trusted / 2)
    assert min(heartbeat, trusted) == rules.next_beat(heartbeat, trust)
    longest = trust if trust > 0 else float("inf")
    assert 0 < rules.beat_retry(heartbeat, trust) <= min(1.0, heartbeat, longest)
    assert 0 < rules.beat_bound(lease, trust) <= min(lease / 4, MAX_CALL, longest)


@given(options, shares, st.floats(0, 1e6))
def test_backups_ask_within_two_heartbeats_and_soon_after_the_end(
    given_options: Options, share: float, end: float
) -> None:
    """Never before the end that is known, and at most a quarter heartbeat after it."""
    _, heartbeat = given_options
    assert heartbeat <= rules.ask_again(heartbeat, share) <= 2 * heartbeat
    asks = end + rules.after_lease(heartbeat, share)
    assert end <= asks <= end + heartbeat / 4 + ALMOST


@given(st.lists(failures, min_size=2, max_size=9).map(sorted), shares)
@example([5, 6, 10**6], 1.0)
def test_backoff_grows_and_stays(counts: list[int], share: float) -> None:
    """More failures never shorten the wait, and from the sixth on it is the longest."""
    waits = [rules.backoff(count, share) for count in counts]
    assert all(shorter <= longer for shorter, longer in pairwise(waits))
    assert all(0.05 <= wait <= RETRY_MAX for wait in waits)
    longest = {rules.backoff(count, share) for count in counts if count >= 6}
    assert longest <= {RETRY_MAX * (1 + share) / 2}


@given(options, st.floats(MAX_CALL + RETRY_MAX, 300), shares)
def test_settling_outlasts_two_leases_of_silence(
    given_options: Options, stop_timeout: float, share: float
) -> None:
    """An end is asked for once more after it, though all calls took their bound."""
    lease, _ = given_options
    now, count = 0.0, 0
    while now < 2 * lease and count < 1_000:
        now += rules.call_bound(lease) + rules.backoff(count, share)
        count += 1
    assert now <= rules.settle_limit(lease, stop_timeout) + ALMOST


@given(options, st.lists(delays, min_size=2, max_size=20), shares)
@example(LEAST, [AT_LAST] * 3, 1.0)
@example(LEAST, [Delay(1.0, 0.0), AT_LAST, Delay(1.0, 0.0), AT_LAST], 1.0)
def test_beats_that_are_answered_keep_the_lease(
    given_options: Options, answers: list[Delay], share: float
) -> None:
    """Each reaches the store before the lease's end, however slow its answer was."""
    runner = Runner(given_options)
    runner.is_granted(answers[0], share)
    for answer in answers[1:]:
        runner.is_answered(answer)


@given(options, st.lists(st.tuples(st.booleans(), shares), max_size=20), shares)
@example(LEAST, [(True, 1.0)] * 3, 1.0)
def test_one_beat_that_is_lost_costs_no_lease(
    given_options: Options, beats: list[tuple[bool, float]], share: float
) -> None:
    """If others are answered soon, the retry comes before the lease's end."""
    soon = given_options.lease / 24 / rules.call_bound(given_options.lease)
    runner = Runner(given_options)
    runner.is_granted(Delay(min(soon, 1.0), 1.0), share)
    for lost, there in beats:
        if lost:
            runner.is_not_answered()
        runner.is_answered(Delay(min(soon, 1.0), there))


class Runner:
    """A runner by the rules, and what the store knows; ``now`` is the runner's."""

    def __init__(self, given_options: Options) -> None:
        self.lease, self.heartbeat = given_options
        self.now = self.trust = self.until = 0.0

    def is_granted(self, answer: Delay, share: float) -> None:
        """Claim a run and win it."""
        self._hear(answer, rules.call_bound(self.lease), first=True)
        self.now += rules.first_beat(self.heartbeat, self.trust - self.now, share)

    def is_answered(self, answer: Delay) -> None:
        """Beat, and go on to the next beat."""
        self._hear(answer, rules.beat_bound(self.lease, self.trust - self.now))
        self.now += rules.next_beat(self.heartbeat, self.trust - self.now)

    def is_not_answered(self) -> None:
        """Beat in vain, and go on to the retry."""
        self.now += rules.beat_bound(self.lease, self.trust - self.now)
        self.now += rules.beat_retry(self.heartbeat, self.trust - self.now)

    def _hear(self, answer: Delay, bound: float, *, first: bool = False) -> None:
        took = bound * answer.total
        arrived = self.now + took * answer.there
        assert first or arrived <= self.until + ALMOST
        self.until = arrived + self.lease
        self.trust = rules.trust_end(self.now, self.lease)
        assert self.trust <= self.until + ALMOST
        self.now += took
