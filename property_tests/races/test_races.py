"""What overlapping requests are answered can have come about one by one, by the laws.

Requests come from several connections, each in a thread and a loop of its own.
"""

import time
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from anarchon.backends.memory import MemoryBackend
from anarchon.backends.sqlite import SqliteBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.clock import SLOT
from property_tests.budget import within
from property_tests.races.kinds import LEASES, ORDERED
from property_tests.races.plans import Clock
from property_tests.races.processes import hired_process
from property_tests.races.racing import hold_races
from property_tests.races.workers import Hired, hired

pytestmark = within(60)

each_clock = pytest.mark.parametrize("clock", Clock)


class Ticking:
    """A clock that goes on by a millisecond whenever it is read.

    So each step has a time of its own, which tells its place among all the others. A
    thread that has read it lets others go first, if nothing holds them.
    """

    def __init__(self) -> None:
        self._ms = count(SLOT)

    def time(self) -> float:
        """Return its time in seconds since 1970 UTC."""
        ms = next(self._ms)
        time.sleep(0)
        return ms / 1000


def memory(hand: ManualClock | None, *, leases: bool) -> MemoryBackend:
    """Return a store in memory."""
    return MemoryBackend(clock=hand or Ticking(), leases=leases)


@each_clock
def test_memory_is_linearizable(clock: Clock) -> None:
    """The memory store's replies are those of some order that keeps to time."""
    hold_races(LEASES, partial(memory, leases=True), clock, 40)


@each_clock
def test_memory_without_leases_is_linearizable(clock: Clock) -> None:
    """So are those of the memory store that grants each slot once."""
    hold_races(ORDERED, partial(memory, leases=False), clock, 20)


@each_clock
def test_sqlite_is_linearizable(clock: Clock, tmp_path: Path) -> None:
    """So are those of several connections to one file."""

    def sqlite(hand: ManualClock | None) -> SqliteBackend:
        return SqliteBackend(tmp_path / "store.db", clock=hand)

    hold_races(LEASES, sqlite, clock, 25)


def test_sqlite_is_linearizable_among_processes(tmp_path: Path) -> None:
    """So are those of several processes, which share nothing but the file."""

    def sqlite(_: ManualClock | None) -> SqliteBackend:
        return SqliteBackend(tmp_path / "store.db")

    def hire(
        name: str, loop: str, backend: Backend, hand: ManualClock | None
    ) -> AbstractContextManager[Hired]:
        # a process takes long to start
        return (hired_process if name in "AB" else hired)(name, loop, backend, hand)

    hold_races(LEASES, sqlite, Clock.OWN, 15, hire)
