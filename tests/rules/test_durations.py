"""What is a duration, and what is refused as one."""

import math
from datetime import timedelta

import pytest

from anarchon.errors import InvalidOption, InvalidSchedule
from anarchon.rules.durations import to_seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (10, 10.0),
        (0.25, 0.25),
        (timedelta(minutes=1, milliseconds=5), 60.005),
        ("10s", 10.0),
        ("1h30m", 5_400.0),
        ("250ms", 0.25),
        ("2d", 172_800.0),
        ("1.5h", 5_400.0),
        ("1.1h", 3_960.0),
        (" 1h 30 m ", 5_400.0),
        ("1d2h3m4s5ms", 93_784.005),
    ],
)
def test_duration_is_read_in_seconds(value: object, seconds: float) -> None:
    """Numbers are seconds; timedeltas and texts say their units."""
    assert seconds == to_seconds(value, name="lease")


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        b"10s",
        -1,
        -0.001,
        math.nan,
        math.inf,
        10**400,
        timedelta(days=-1),
        timedelta(days=40_000),
        "",
        " ",
        "10",
        "s",
        "-10s",
        "1e3s",
        "10 seconds",
        "30m1h",
        "1s1s",
        "1.s",
        "\u0661s",
        "9" * 400 + "d",
    ],
)
def test_anything_else_is_refused_by_name(value: object) -> None:
    """A refusal names the option, the value and what is allowed."""
    with pytest.raises(InvalidOption) as caught:
        to_seconds(value, name="lease", zero=True)
    message = str(caught.value)
    assert message.startswith("lease must be a duration of 0 or more")
    assert "'1h30m'" in message
    assert message.endswith(f"not {value!r}")


@pytest.mark.parametrize("nothing", [0, 0.0, "0s", timedelta(0)])
def test_zero_is_a_duration_only_where_it_is_allowed(nothing: object) -> None:
    """Each option says whether it may be nothing at all."""
    assert 0.0 == to_seconds(nothing, name="jitter", zero=True)
    with pytest.raises(InvalidOption, match="more than 0"):
        to_seconds(nothing, name="lease")


def test_caller_chooses_the_error() -> None:
    """A bad period is a bad schedule, a bad lease a bad option."""
    with pytest.raises(InvalidSchedule, match="period"):
        to_seconds("soon", name="period", error=InvalidSchedule)
