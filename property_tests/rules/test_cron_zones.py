"""Every name that ``zoneinfo`` knows, those of zones without transitions among them."""

import zoneinfo
from datetime import UTC, datetime

import pytest

from anarchon.rules.cron import Cron
from property_tests.rules.cron_oracle import Oracle, walk

# all offsets of these years are quarters of an hour
QUARTER = 900
DAYS = 3
PARTS = 2
DATES = (datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 7, 6, tzinfo=UTC))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_name_of_a_zone_is_as_by_brute_force(part: int) -> None:
    """A time of day is met as the clocks of the place show it, in winter and summer."""
    for name in sorted(zoneinfo.available_timezones() - {"localtime"})[part::PARTS]:
        for date in DATES:
            start = int(date.timestamp())
            steps = walk(name, start, start + DAYS * 86_400, QUARTER)
            for expression in ("30 8 * * *", "15 */6 * * 1,3"):
                cron = Cron(expression, timezone=name)
                expected = [at * 1000 for at in Oracle(expression).slots(steps)]
                assert expected == _slots(cron, start * 1000, steps[-1][0] * 1000)


def _slots(cron: Cron, start: int, stop: int) -> list[int]:
    slots = [start]
    while (slot := cron.next_after(slots[-1])) <= stop:
        slots.append(slot)
    return slots[1:]
