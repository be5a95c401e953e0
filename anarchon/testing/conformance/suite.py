"""The suites: which laws each kind of store is held to, and the tests' fixtures.

Decides how a test reaches the store. Must not know any store.
"""

from collections.abc import AsyncGenerator

import pytest

from anarchon.protocol import Backend
from anarchon.testing.conformance.clock import ManualClock
from anarchon.testing.conformance.laws.apart import Apart
from anarchon.testing.conformance.laws.endings import Endings, Reading
from anarchon.testing.conformance.laws.fencing import Fencing, HandOver
from anarchon.testing.conformance.laws.granting import Granting
from anarchon.testing.conformance.laws.history import History, Trimming
from anarchon.testing.conformance.laws.leases import Leases
from anarchon.testing.conformance.laws.manual import Manual
from anarchon.testing.conformance.laws.once import Once
from anarchon.testing.conformance.laws.order import InOrder, InTime, Slots
from anarchon.testing.conformance.laws.overlap import AllowedOverlap, NoOverlap
from anarchon.testing.conformance.probe import LeaseProbe, Link, Probe, linked


class _Suite(Granting, Slots, History, Manual, Apart):
    """What every store is held to. Each test runs on each loop that anyio knows."""

    pytestmark: pytest.MarkDecorator = pytest.mark.anyio

    @pytest.fixture
    def clock(self) -> ManualClock:
        """Return the store's clock; it stands still until the test moves it."""
        return ManualClock()

    @pytest.fixture
    def backend(self, clock: ManualClock) -> Backend:
        """Return the backend under test: empty, and with ``clock`` as its clock."""
        raise NotImplementedError("override the fixture backend(self, clock)")

    @pytest.fixture
    async def link(self, backend: Backend) -> AsyncGenerator[Link]:
        """Open the store."""
        async with linked(backend) as link:
            yield link

    @pytest.fixture
    async def second_link(self, backend: Backend) -> AsyncGenerator[Link]:
        """Open the store once more, beside the first time."""
        async with linked(backend) as link:
            yield link


class ClaimConformance(_Suite, Once):
    """The tests of a claim-only store: subclass it and override ``backend``.

    Subclass with it what the store can do beyond that: ``InTime`` if it tells its time,
    ``InOrder`` if it refuses slots older than the newest, ``Trimming`` if its history
    is trimmed to the record.
    """

    @pytest.fixture
    async def job(self, link: Link, clock: ManualClock) -> Probe:
        """Return a job that the store was prepared for."""
        job = Probe(link, clock, tells_time=isinstance(self, InTime))
        await job.prepare()
        return job


class LeaseConformance(
    _Suite,
    InOrder,
    InTime,
    Trimming,
    Leases,
    Fencing,
    HandOver,
    NoOverlap,
    AllowedOverlap,
    Endings,
    Reading,
):
    """The tests of a lease store: subclass it and override ``backend``."""

    @pytest.fixture
    async def job(self, link: Link, clock: ManualClock) -> LeaseProbe:
        """Return a job that the store was prepared for."""
        job = LeaseProbe(link, clock)
        await job.prepare()
        return job
