"""How a broken store is shown to fail the tests of the laws that it breaks.

Decides how one test of a suite is run on one store. Must not know what is broken.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import TypeVar

from anarchon.backends.memory import MemoryBackend
from anarchon.backends.memory.job import Job
from anarchon.protocol import Backend
from anarchon.testing.conformance import (
    ClaimConformance,
    LeaseConformance,
    ManualClock,
)
from anarchon.testing.conformance.probe import LeaseProbe, linked

K = TypeVar("K", bound=type)


class Cases:
    """Broken things, each with the names of the tests that must notice."""

    def __init__(self) -> None:
        self._cases: list[tuple[type, str]] = []

    def caught_by(self, *tests: str) -> Callable[[K], K]:
        """Add the decorated class as broken in a way that these tests catch."""

        def add(kind: K) -> K:
            self._cases += [(kind, test) for test in tests]
            return kind

        return add

    def __iter__(self) -> Iterator[tuple[type, str]]:
        return iter(self._cases)


class _Jobs(dict[str, Job]):
    def __init__(self, kind: type[Job]) -> None:
        self._kind = kind

    def __missing__(self, name: str) -> Job:
        job = self[name] = self._kind(name)
        return job


class BackendOf(MemoryBackend):
    """A memory backend whose jobs are of another kind."""

    def __init__(
        self, kind: type[Job], clock: ManualClock, *, leases: bool = True
    ) -> None:
        super().__init__(clock=clock, leases=leases)
        self._data.jobs = _Jobs(kind)


async def run_test(
    suite: type[LeaseConformance | ClaimConformance],
    test: str,
    make: Callable[[ManualClock], Backend],
) -> None:
    """Run one test of a suite on a store of its own."""
    clock = ManualClock()
    backend = make(clock)
    async with linked(backend) as link, linked(backend) as second_link:
        job = LeaseProbe(link, clock)
        given = {"job": job, "clock": clock, "second_link": second_link}
        method = getattr(suite(), test)
        wanted = inspect.signature(method).parameters
        await method(**{name: given[name] for name in wanted})
