"""The stores of this process answer every program as the laws say, on both loops."""

from pathlib import Path

from anarchon.backends.memory import MemoryBackend
from anarchon.backends.sqlite import SqliteBackend
from anarchon.testing.conformance import ManualClock
from property_tests.budget import within
from property_tests.stores.claim_machine import ClaimMachine
from property_tests.stores.lease_machine import LeaseMachine
from property_tests.stores.playing import each_loop, play

pytestmark = [each_loop, within(120)]


def test_memory_keeps_the_laws(loop: str) -> None:
    """Every reply, lease and record of the memory store is the model's."""
    clock = ManualClock()
    play(LeaseMachine, MemoryBackend(clock=clock), clock, loop, 200)


def test_memory_without_leases_keeps_the_laws(loop: str) -> None:
    """Every reply and record of the claim-only memory store is the model's."""
    clock = ManualClock()
    backend = MemoryBackend(clock=clock, leases=False)
    play(ClaimMachine, backend, clock, loop, 100)


def test_sqlite_keeps_the_laws(loop: str, tmp_path: Path) -> None:
    """Every reply, lease and record of the SQLite store is the model's."""
    clock = ManualClock()
    backend = SqliteBackend(tmp_path / "store.db", clock=clock)
    play(LeaseMachine, backend, clock, loop, 100)
