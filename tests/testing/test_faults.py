"""Which fault meets which call: scripts, storms, and what is refused."""

from dataclasses import replace

import pytest

from anarchon.errors import InvalidOption
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    OK,
    Fault,
    Faults,
    Lost,
)


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


def test_what_a_storm_spares_still_meets_the_standing_fault() -> None:
    """Troubles that meet add up: neither hides the other."""
    faults = Faults()
    faults.always(Fault(reply_delay=2.0), "claim")
    faults.storm(seed=1, rate=0.3)
    met = [faults.meet("claim") for _ in range(100)]

    assert all(fault.reply_delay >= 2 for fault in met)
    assert {None, *Lost} == {fault.lost for fault in met}


def test_two_faults_of_one_call_come_to_the_worse_of_each() -> None:
    """A request that is lost has no reply; who never hears of one waits in silence."""
    slow = Fault(request_delay=1.0, reply_delay=3.0, copy_after=5.0)
    slower = Fault(request_delay=2.0, copy_after=4.0)

    assert slow == slow.along_with(OK) == OK.along_with(slow)
    assert replace(slow, request_delay=2.0) == slow.along_with(slower)
    assert FAIL_BEFORE == FAIL_BEFORE.along_with(FAIL_AFTER)
    assert HANG_AFTER == FAIL_AFTER.along_with(HANG_AFTER)


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
