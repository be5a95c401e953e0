"""The grid of ``every``."""

import copy
import pickle
from datetime import timedelta

import pytest

from anarchon import Every, InvalidSchedule
from anarchon.rules.schedule import Schedule


def test_grid_counts_from_1970() -> None:
    """Every instance computes the same slots whenever it started."""
    assert 1_760_000_010_000 == Every("10s").next_after(1_760_000_003_217)
    assert 1_760_000_000_000 == Every("10s").latest_at(1_760_000_003_217)


def test_slot_is_its_own_latest_and_not_its_own_next() -> None:
    """Next is strictly after, latest is at or before."""
    every = Every(10)
    assert 20_000 == every.latest_at(20_000)
    assert 30_000 == every.next_after(20_000)


def test_offset_shifts_the_grid() -> None:
    """The offset is added to each slot of the grid."""
    every = Every("1h", offset="15m")
    assert 900_000 == every.next_after(0)
    assert 900_000 - 3_600_000 == every.latest_at(0)


def test_instants_before_1970_are_on_the_same_grid() -> None:
    """A negative instant is floored, not cut towards zero."""
    assert -10_000 == Every(10).latest_at(-1)
    assert 0 == Every(10).next_after(-1)
    assert -5_000 == Every(10, offset=5).next_after(-15_000)


def test_distance_costs_nothing() -> None:
    """A slot a million years away is computed like the next one."""
    assert 10**18 == Every(10).latest_at(10**18 + 1)
    assert 10**18 + 10_000 == Every(10).next_after(10**18)


def test_equal_grids_are_equal() -> None:
    """However it is written, the same grid is the same schedule."""
    assert Every("10s") == Every(timedelta(seconds=10), offset=20)
    assert hash(Every("10s")) == hash(Every(10.0, offset="20s"))
    assert Every(10) != Every(10, offset=1)


def test_every_shows_itself_and_can_be_copied() -> None:
    """The repr is the call that makes it, with seconds."""
    every = Every("10s", offset="2500ms")
    assert "Every(10.0, offset=2.5)" == repr(every)
    assert "Every(0.25)" == repr(Every("250ms"))
    assert every == copy.deepcopy(every) == pickle.loads(pickle.dumps(every))
    assert isinstance(every, Schedule)


def test_every_cannot_be_changed() -> None:
    """A schedule is a value."""
    with pytest.raises(AttributeError):
        Every(10).period_ms = 5  # type: ignore[misc]


@pytest.mark.parametrize("period", [0, -1, "soon", None, True, 0.0001, "0ms"])
def test_period_must_be_whole_milliseconds(period: object) -> None:
    """A zero, negative or unreadable period is refused, and named."""
    with pytest.raises(InvalidSchedule, match=r"period must be .*not " + repr(period)):
        Every(period)  # type: ignore[arg-type]


@pytest.mark.parametrize("offset", [-1, "later", None, 0.0015])
def test_offset_must_be_whole_milliseconds(offset: object) -> None:
    """A negative or unreadable offset is refused, and named."""
    with pytest.raises(InvalidSchedule, match=r"offset must be .*not " + repr(offset)):
        Every(10, offset=offset)  # type: ignore[arg-type]
