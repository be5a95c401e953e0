"""The arithmetic of leases: no wait of a runner outlasts its trust."""

import pytest

from anarchon.rules.lease import beat_retry, first_beat, next_beat

HEARTBEAT = 5.0


@pytest.mark.parametrize(
    ("trust_left", "wait"), [(30.0, HEARTBEAT), (2.0, 2.0), (0.0, 0.0), (-40.0, 0.0)]
)
def test_next_beat_comes_while_there_is_trust(trust_left: float, wait: float) -> None:
    """An answer that is read when its lease is nearly over is asked for anew."""
    assert wait == next_beat(HEARTBEAT, trust_left)


@pytest.mark.parametrize(
    ("trust_left", "wait"), [(30.0, 1.0), (0.4, 0.4), (0.0, 1.0), (-40.0, 1.0)]
)
def test_retry_comes_while_there_is_trust(trust_left: float, wait: float) -> None:
    """Unanswered, it is asked again within a second, and before the trust ends."""
    assert wait == beat_retry(HEARTBEAT, trust_left)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_first_beat_leaves_half_of_the_trust(share: float) -> None:
    """A grant that was heard of late is confirmed in time for an answer."""
    assert HEARTBEAT * share == first_beat(HEARTBEAT, 30.0, share)
    assert 2.0 * share == first_beat(HEARTBEAT, 4.0, share)
    assert 0.0 == first_beat(HEARTBEAT, -1.0, share)
