"""The tables of the page about cron are true."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from anarchon import Cron
from anarchon.rules.expression import ALIASES
from tests.pages import ROOT

PAGE = (ROOT / "docs" / "cron.md").read_text()
CHANGES = re.findall(
    r"^\| `(.+)` \| (fixed|by the hour) \| (.*) \| (.*) \|$", PAGE, re.MULTILINE
)
UNUSUAL = re.findall(
    r"^\| (\w+/\w+) \| .+ \| `(.+)` \| (\d{4}.*) \|$", PAGE, re.MULTILINE
)
ALIAS_ROWS = re.findall(r"^\| (`@.+`) \| `(.+)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("expression", "hours", "march", "october"), CHANGES)
def test_slots_in_berlin_are_as_tabled(
    expression: str, hours: str, march: str, october: str
) -> None:
    """What a job does on both days is what the page says, and so is its kind."""
    spring = _slots(expression, "Europe/Berlin", "2025-03-30 00:00", "2025-03-30 04:00")
    autumn = _slots(expression, "Europe/Berlin", "2025-10-26 00:00", "2025-10-26 04:00")
    assert march == " ".join(_time_of_day(slot) for slot in spring)
    assert october == " ".join(_time_of_day(slot) for slot in autumn)
    hour = expression.split()[1]
    assert hours == ("by the hour" if re.fullmatch(r"\*(/\d+)?", hour) else "fixed")


@pytest.mark.parametrize(("zone", "expression", "slots"), UNUSUAL)
def test_unusual_changes_are_as_tabled(zone: str, expression: str, slots: str) -> None:
    """Half an hour, midnight, a whole day: the slots are what the page says."""
    tabled = slots.replace("*", "").split(", ")
    found = _slots(expression, zone, tabled[0], tabled[-1])
    assert slots == ", ".join(f"{slot:%Y-%m-%d} {_time_of_day(slot)}" for slot in found)


@pytest.mark.parametrize(("aliases", "expression"), ALIAS_ROWS)
def test_aliases_are_as_tabled(aliases: str, expression: str) -> None:
    """Each alias has the slots of the expression that it stands for."""
    for alias in re.findall(r"@\w+", aliases):
        assert expression == ALIASES[alias]


def test_every_row_is_tested() -> None:
    """A row that the tests can't read would be a row that nobody holds."""
    assert 9 == len(CHANGES)
    assert 7 == len(UNUSUAL)
    assert len(ALIASES) == sum(aliases.count("@") for aliases, _ in ALIAS_ROWS)


def _slots(expression: str, zone: str, start: str, stop: str) -> list[datetime]:
    """Return the slots between two local times, both included."""
    cron, place = Cron(expression, timezone=zone), ZoneInfo(zone)
    first, last = (
        round(datetime.fromisoformat(text).replace(tzinfo=place).timestamp() * 1000)
        for text in (start, stop)
    )
    slots = [cron.next_after(first - 1)]
    while slots[-1] < last:
        slots.append(cron.next_after(slots[-1]))
    return [
        datetime.fromtimestamp(slot / 1000, UTC).astimezone(place)
        for slot in slots
        if slot <= last
    ]


def _time_of_day(slot: datetime) -> str:
    return f"**{slot:%H:%M}**" if slot.fold else f"{slot:%H:%M}"
