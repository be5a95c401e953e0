"""Cron schedules: what is read, what is refused, and how a schedule behaves."""

import copy
import pickle
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from anarchon import Cron, InvalidSchedule
from anarchon.rules.schedule import Schedule


@pytest.mark.parametrize(
    ("expression", "after", "slots"),
    [
        ("*/20 * * * *", "2025-01-01 00:05", ["2025-01-01 00:20", "2025-01-01 00:40"]),
        ("0 8 * * 1-5", "2025-01-03 08:00", ["2025-01-06 08:00", "2025-01-07 08:00"]),
        ("0 8 * * mon-FRI", "2025-01-03 08:00", ["2025-01-06 08:00"]),
        ("0 0 * * 7", "2025-01-01 00:00", ["2025-01-05 00:00", "2025-01-12 00:00"]),
        ("0 0 * * 5-7", "2025-01-02 00:00", ["2025-01-03 00:00", "2025-01-04 00:00"]),
        ("0 0 1 JAN,jul *", "2025-01-01 00:00", ["2025-07-01 00:00"]),
        ("0 0 13 * FRI", "2025-06-07 00:00", ["2025-06-13 00:00", "2025-06-20 00:00"]),
        ("0 0 13 * ?", "2025-06-07 00:00", ["2025-06-13 00:00", "2025-07-13 00:00"]),
        ("0 0 */2 * MON", "2025-01-05 00:00", ["2025-01-06 00:00", "2025-01-07 00:00"]),
        ("0 0 L * *", "2024-02-01 00:00", ["2024-02-29 00:00", "2024-03-31 00:00"]),
        ("0 0 30-L 1 *", "2025-01-01 00:00", ["2025-01-30 00:00", "2025-01-31 00:00"]),
        ("0 0 * * FRI#2", "2025-01-01 00:00", ["2025-01-10 00:00", "2025-02-14 00:00"]),
        ("0 0 * * 0#5", "2025-01-01 00:00", ["2025-03-30 00:00", "2025-06-29 00:00"]),
        ("0 0 * * L5", "2025-01-01 00:00", ["2025-01-31 00:00", "2025-02-28 00:00"]),
        ("0 0 1 * L5", "2025-01-02 00:00", ["2025-01-31 00:00", "2025-02-01 00:00"]),
        ("0 22-1 * * *", "2025-01-01 21:00", ["2025-01-01 22:00", "2025-01-01 23:00"]),
        ("0 0 29 2 *", "2096-02-29 00:00", ["2104-02-29 00:00"]),
        ("0 0 * 2 MON#5", "2025-01-01 00:00", ["2044-02-29 00:00"]),
        ("@daily", "2025-01-01 00:00", ["2025-01-02 00:00", "2025-01-03 00:00"]),
        (" @WEEKLY ", "2025-01-01 00:00", ["2025-01-05 00:00"]),
        ("0\t0  1 1 *", "2025-01-01 00:00", ["2026-01-01 00:00"]),
    ],
)
def test_expression_has_these_slots(
    expression: str, after: str, slots: list[str]
) -> None:
    """Names, lists, ranges, steps, nth and last days mean what the page says."""
    cron, ms = Cron(expression), _ms(after)
    for slot in slots:
        ms = cron.next_after(ms)
        assert slot == f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M}"
        assert ms == cron.latest_at(ms)


def test_six_fields_start_with_seconds() -> None:
    """The first of six fields is the second; with five it is zero."""
    cron = Cron("*/20 1 * * * *")
    assert [60_000, 80_000, 100_000, 3_660_000] == [
        cron.next_after(ms) for ms in (0, 60_000, 80_000, 100_000)
    ]


def test_slot_is_its_own_latest_and_not_its_own_next() -> None:
    """Next is strictly after, latest is at or before, to the millisecond."""
    cron = Cron("* * * * *")
    assert (60_000, 120_000) == (cron.next_after(59_999), cron.next_after(60_000))
    assert (0, 60_000) == (cron.latest_at(59_999), cron.latest_at(60_000))


def test_instants_before_1970_have_slots_too() -> None:
    """A negative instant is floored, not cut towards zero."""
    cron = Cron("* * * * *")
    assert (-60_000, 0) == (cron.latest_at(-1), cron.next_after(-1))


def test_zone_says_when_it_is_eight() -> None:
    """The same expression has other slots in another zone."""
    athens = Cron("0 8 * * *", timezone="Europe/Athens")
    assert _ms("2025-01-01 06:00") == athens.next_after(_ms("2025-01-01 00:00"))
    assert _ms("2025-07-01 05:00") == athens.next_after(_ms("2025-07-01 00:00"))


def test_no_slot_comes_after_the_calendar() -> None:
    """Past the last year that a date can hold the search ends."""
    with pytest.raises(OverflowError, match="year 9999"):
        Cron("0 0 1 1 *").next_after(_ms("9999-06-01 00:00"))
    assert Cron("0 0 1 6 *").latest_at(_ms("0001-02-01 00:00")) is None


def test_equal_expressions_and_zones_are_equal() -> None:
    """A schedule is a value, told by how it was written."""
    cron = Cron("0 8 * * *", timezone="Europe/Athens")
    same = Cron("0 8 * * *", timezone="Europe/Athens")
    assert cron == same
    assert hash(cron) == hash(same)
    assert cron != Cron("0 8 * * *")
    assert cron != Cron("0 9 * * *", timezone="Europe/Athens")


def test_cron_shows_itself_and_can_be_copied() -> None:
    """The repr is the call that makes it; a copy has the same slots."""
    cron = Cron("0 8 * * *", timezone="Europe/Athens")
    assert "Cron('0 8 * * *', timezone='Europe/Athens')" == repr(cron)
    for twin in (copy.deepcopy(cron), pickle.loads(pickle.dumps(cron))):
        assert cron == twin
        assert cron.next_after(0) == twin.next_after(0)
    assert isinstance(cron, Schedule)


def test_cron_cannot_be_changed() -> None:
    """A schedule may be shared: nobody can change it."""
    with pytest.raises(AttributeError):
        Cron("0 8 * * *").expression = "@daily"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("expression", "field", "value", "allowed"),
    [
        ("60 * * * *", "minute", "60", "0 to 59"),
        ("1,61 * * * *", "minute", "61", "0 to 59"),
        ("60 * * * * *", "second", "60", "0 to 59"),
        ("* 24 * * *", "hour", "24", "0 to 23"),
        ("* * 0 * *", "day of month", "0", "1 to 31"),
        ("* * 32 * *", "day of month", "32", "1 to 31"),
        ("* * * 13 *", "month", "13", "1 to 12, JAN to DEC"),
        ("* * * june *", "month", "june", "1 to 12, JAN to DEC"),
        ("* * * * 8", "day of week", "8", "0 to 7"),
        ("* * * * fun", "day of week", "fun", "SUN to SAT"),
        ("* * * * 5#6", "day of week", "5#6", "5#2"),
        ("* * * * 1,2#2", "day of week", "1,2#2", "5#2"),
        ("* * * * L", "day of week", "l", "L5"),
        ("x * * * *", "minute", "x", "0 to 59"),
        ("-1 * * * *", "minute", "-1", "0 to 59"),
        ("5- * * * *", "minute", "5-", "ranges"),
        ("1,,2 * * * *", "minute", "", "lists"),
        ("*/0 * * * *", "minute", "*/0", "steps"),
        ("*/61 * * * *", "minute", "*/61", "no step is that long"),
        ("59/15 * * * *", "minute", "59/15", "no step starts at the last value"),
        ("* * * * 7/2", "day of week", "7/2", "no step starts at the last value"),
        ("* 5-5 * * *", "hour", "5-5", "two different ends"),
        ("* 22-2/3 * * *", "hour", "22-2/3", "no range with a step wraps"),
        ("* *,5 * * *", "hour", "*,5", "* stands alone"),
        ("* ? * * *", "hour", "?", "0 to 23"),
        ("* * 31-L * *", "day of month", "31-l", "1 to 31"),
        ("* * 15W * *", "day of month", "15w", "1 to 31"),
        ("H * * * *", "minute", "h", "0 to 59"),
        ("* * * R *", "month", "r", "1 to 12"),
        ("\u0663 * * * *", "minute", "\u0663", "0 to 59"),
    ],
)
def test_bad_field_is_named(
    expression: str, field: str, value: str, allowed: str
) -> None:
    """A refusal says which field, which value, and what is allowed there."""
    with pytest.raises(InvalidSchedule) as caught:
        Cron(expression)
    message = str(caught.value)
    assert f"{value!r} is not allowed as {field}" in message
    assert allowed in message
    assert repr(expression) in message


@pytest.mark.parametrize(
    "expression", ["", " ", "* * * *", "* * * * * * *", "0 8 * * * 2025 *"]
)
def test_number_of_fields_is_told(expression: str) -> None:
    """There are five fields or six, and none for a year."""
    with pytest.raises(InvalidSchedule, match=r"5 fields .* or 6 with seconds first"):
        Cron(expression)


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *"])
def test_expression_that_never_matches_is_refused(expression: str) -> None:
    """A job that would never run is a mistake, and found at once."""
    with pytest.raises(InvalidSchedule, match="never matches any date"):
        Cron(expression)


def test_impossible_day_with_a_weekday_is_no_mistake() -> None:
    """Either matches, so one side is enough."""
    assert _ms("2025-02-03 00:00") == Cron("0 0 30 2 MON").next_after(
        _ms("2025-01-31 00:00")
    )


def test_unknown_alias_is_refused() -> None:
    """The message has all aliases that there are."""
    with pytest.raises(InvalidSchedule, match="'@reboot'; there are @yearly, "):
        Cron("@reboot")


@pytest.mark.parametrize(
    "zone",
    ["Europe/Nowhere", "Europe", "europe/athens", "../etc/passwd", "/etc", "", "\0"],
)
def test_unknown_zone_is_named(zone: str) -> None:
    """A zone that isn't there is refused by its name, with what a name looks like."""
    with pytest.raises(
        InvalidSchedule, match=r"unknown time zone .*'Europe/Athens'"
    ) as caught:
        Cron("* * * * *", timezone=zone)
    assert repr(zone) in str(caught.value)


def test_zone_that_differs_between_machines_is_refused() -> None:
    """Every instance must compute the same slots."""
    with pytest.raises(InvalidSchedule, match="differs between machines"):
        Cron("* * * * *", timezone="localtime")


@pytest.mark.parametrize("wrong", [None, 5, b"* * * * *", ["* * * * *"]])
def test_expression_and_zone_are_texts(wrong: object) -> None:
    """Anything else is named and refused."""
    with pytest.raises(InvalidSchedule, match="cron expression must be a str, not "):
        Cron(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidSchedule, match="time zone's name must be a str, not "):
        Cron("* * * * *", timezone=wrong)  # type: ignore[arg-type]


def test_parser_is_loaded_when_it_is_needed() -> None:
    """Declaring jobs without cron loads no cron parser and no zones."""
    program = (
        "import sys, anarchon; anarchon.Jobs().every('a', 1, print); "
        "sys.exit('croniter' in sys.modules or 'zoneinfo' in sys.modules)"
    )
    assert 0 == subprocess.run([sys.executable, "-c", program], check=False).returncode


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)
