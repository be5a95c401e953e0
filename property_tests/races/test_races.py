"""What overlapping requests are answered can have come about one by one, by the laws.

Requests come from several connections, each in a thread and a loop of its own.
"""

from functools import partial
from pathlib import Path

import pytest

from anarchon.backends.memory import MemoryBackend
from anarchon.backends.sqlite import SqliteBackend
from anarchon.testing.conformance import ManualClock
from property_tests.budget import within
from property_tests.races.plans import Clock
from property_tests.races.racing import LEASES, ORDERED, hold_races

pytestmark = within(60)

each_clock = pytest.mark.parametrize("clock", Clock)


def memory(clock: ManualClock | None, *, leases: bool) -> MemoryBackend:
    """Return a store in memory."""
    return MemoryBackend(clock=clock, leases=leases)


@each_clock
def test_memory_is_linearizable(clock: Clock) -> None:
    """The memory store's replies are those of some order, that keeps to time."""
    hold_races(LEASES, partial(memory, leases=True), clock, 60)


@pytest.mark.parametrize("clock", [Clock.STILL, Clock.MOVED])
def test_memory_without_leases_is_linearizable(clock: Clock) -> None:
    """So are those of the memory store that grants each slot once."""
    hold_races(ORDERED, partial(memory, leases=False), clock, 30)


@each_clock
def test_sqlite_is_linearizable(clock: Clock, tmp_path: Path) -> None:
    """So are those of several connections to one file."""

    def sqlite(hand: ManualClock | None) -> SqliteBackend:
        return SqliteBackend(tmp_path / "store.db", clock=hand)

    hold_races(LEASES, sqlite, clock, 40)
