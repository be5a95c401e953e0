"""Every built-in backend keeps the laws."""

import pytest

from anarchon.backends.memory import MemoryBackend
from anarchon.protocol import Backend
from anarchon.testing.conformance import (
    ClaimConformance,
    InOrder,
    InTime,
    LeaseConformance,
    ManualClock,
    Trimming,
)


class TestMemory(LeaseConformance):
    """The memory store with leases."""

    @pytest.fixture
    def backend(self, clock: ManualClock) -> Backend:
        """Return an empty store."""
        return MemoryBackend(clock=clock)


class TestMemoryClaimOnly(ClaimConformance, InTime, InOrder, Trimming):
    """The memory store without leases."""

    @pytest.fixture
    def backend(self, clock: ManualClock) -> Backend:
        """Return an empty store."""
        return MemoryBackend(clock=clock, leases=False)
