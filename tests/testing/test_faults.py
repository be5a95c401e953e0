"""Which fault meets which call: scripts, storms, and what is refused."""

import pytest

from anarchon.errors import InvalidOption
from anarchon.testing.faults import FAIL_BEFORE, OK, Fault, Faults


def test_an_unknown_operation_is_refused() -> None:
    """A misspelt operation would make a test that can't fail."""
    with pytest.raises(InvalidOption, match="no operation 'renew'; it has open, time"):
        Faults().script("renew", FAIL_BEFORE)
    with pytest.raises(InvalidOption, match="no operation 'renew'"):
        Faults().always(FAIL_BEFORE, "claim", "renew")


def test_a_storm_is_repeated_by_its_seed() -> None:
    """The same seed gives the same faults in the same order; another one others."""
    first, again, other = (_storm(seed) for seed in (7, 7, 8))

    assert first == again
    assert first != other


def test_a_storm_leaves_its_share_of_calls_alone() -> None:
    """The rate is the share of calls that something happens to."""
    faults = _storm(seed=1, calls=10_000)

    assert 0.28 < sum(fault != OK for fault in faults) / 10_000 < 0.32
    assert 8 <= len({_kind(fault) for fault in faults})


def _storm(seed: int, calls: int = 100) -> list[Fault]:
    faults = Faults()
    faults.storm(seed, rate=0.3)
    return [faults.meet("claim") for _ in range(calls)]


def _kind(fault: Fault) -> tuple[object, ...]:
    return (
        fault.lost,
        fault.silent,
        bool(fault.request_delay),
        bool(fault.reply_delay),
        fault.copy_after is None,
    )
