"""How long a claim may be delayed."""

import pytest

from anarchon.rules.jitter import jitter_for


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_jitter_is_a_share_of_the_option(share: float) -> None:
    """Where slots are far apart the whole jitter is used, in milliseconds."""
    assert 2_000 * share == jitter_for(2.0, 0, 60_000, share)


def test_jitter_stays_under_half_of_the_gap() -> None:
    """A slot is claimed before the next one is due, however short the period."""
    assert 50 == jitter_for(2.0, 1_000, 1_100, 1.0)
    assert 0 == jitter_for(2.0, 1_000, 1_001, 1.0)


def test_no_jitter_is_no_delay() -> None:
    """With the option at zero each claim goes out at its slot."""
    assert 0 == jitter_for(0.0, 0, 60_000, 1.0)
