"""Durations, grids and jitter over all that can be written."""

from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from anarchon.errors import InvalidOption
from anarchon.rules.durations import LONGEST, to_seconds
from anarchon.rules.every import Every
from anarchon.rules.jitter import jitter_for

UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}

instants = st.integers(-(10**15), 10**15)
periods = st.integers(1, int(LONGEST) * 1000)
numbers = st.integers(0, 9_999)


@given(st.dictionaries(st.sampled_from(tuple(UNITS)), numbers, min_size=1))
@example({"h": 1, "m": 30})
def test_text_is_the_sum_of_its_parts(parts: dict[str, int]) -> None:
    """Units may be left out and are written from long to short."""
    text = "".join(f"{parts[unit]}{unit}" for unit in UNITS if unit in parts)
    total = sum(UNITS[unit] * number for unit, number in parts.items())
    assert total / 1000 == to_seconds(text, name="lease", zero=True)


@given(st.decimals(0, 9_999, places=2), st.sampled_from(("d", "h", "m", "s")))
@example("1.1", "h")
def test_fractions_are_exact_to_the_millisecond(number: object, unit: str) -> None:
    """A fraction of a unit is as long as its milliseconds, and no error longer."""
    milliseconds = round(float(str(number)) * UNITS[unit])
    assert milliseconds / 1000 == to_seconds(f"{number}{unit}", name="x", zero=True)


@given(st.timedeltas(timedelta(0), timedelta(days=36_525)))
def test_timedelta_is_its_seconds(value: timedelta) -> None:
    """A timedelta and its seconds are the same duration."""
    seconds = value.total_seconds()
    assert seconds == to_seconds(value, name="x", zero=True)
    assert seconds == to_seconds(seconds, name="x", zero=True)


@given(st.text("0123456789.dhms -+e", max_size=12) | st.text(max_size=6) | st.floats())
@example("9" * 400 + "s")
def test_anything_is_a_duration_or_refused(value: str | float) -> None:
    """Whatever is given is a finite length of time, or is named by a refusal."""
    seconds = _seconds_or_refusal(value)
    if isinstance(seconds, str):
        assert seconds.endswith(f"not {value!r}")
    else:
        assert 0 <= seconds <= LONGEST


@given(periods, st.integers(0, 10**13), instants)
@example(1, 0, -1)
def test_grid_is_periodic_and_complete(period: int, offset: int, ms: int) -> None:
    """Slots are the offset plus multiples of the period, and none is left out."""
    offset %= int(LONGEST) * 1000
    every = Every(timedelta(milliseconds=period), offset=timedelta(milliseconds=offset))
    latest, following = every.latest_at(ms), every.next_after(ms)
    assert 0 == (latest - offset) % period
    assert period == following - latest
    assert latest <= ms < following


@given(st.floats(0, 1e6), instants, periods, st.floats(0, 1))
def test_jitter_leaves_half_of_the_gap(
    jitter: float, slot: int, gap: int, share: float
) -> None:
    """No claim waits longer than asked for, nor over half the way to the next slot."""
    delay = jitter_for(jitter, slot, slot + gap, share)
    assert 0 <= delay <= min(jitter * 1000, gap / 2)


def _seconds_or_refusal(value: str | float) -> float | str:
    try:
        return to_seconds(value, name="x", zero=True)
    except InvalidOption as error:
        return str(error)
