"""The SQLite store keeps the laws."""

from pathlib import Path

import pytest

from anarchon.backends.sqlite import SqliteBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import LeaseConformance, ManualClock


class TestSqlite(LeaseConformance):
    """The SQLite store, over the bridge from both loops."""

    @pytest.fixture
    def backend(self, clock: ManualClock, tmp_path: Path) -> Backend:
        """Return a store in a file of its own."""
        return SqliteBackend(tmp_path / "store.db", clock=clock)
