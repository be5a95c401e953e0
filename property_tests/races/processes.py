"""A worker of a race in a process of its own.

Decides how the process is spoken to. The instants of all processes are of one clock.
"""

from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context

from anarchon.protocol import Backend
from anarchon.testing.conformance import ManualClock
from property_tests.races.laws import Asked
from property_tests.races.plans import Step
from property_tests.races.workers import HiredThread, hired

_here = ExitStack()
_workers: list[HiredThread] = []


class HiredProcess:
    """The process, in which the worker is a thread."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def prepare(self, jobs: Sequence[str]) -> int | None:
        """Create what these jobs need, and return the store's time."""
        return self._pool.submit(_prepare, jobs).result()

    def play(self, steps: Sequence[Step], go: int) -> Future[list[Asked]]:
        """Have it play from the instant ``go`` on."""
        return self._pool.submit(_play, steps, go)


@contextmanager
def hired_process(
    name: str, loop: str, backend: Backend, hand: ManualClock | None
) -> Generator[HiredProcess]:
    """Open the store in a new process; no hand reaches its clock there."""
    assert hand is None
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(_open, name, loop, backend).result()
        try:
            yield HiredProcess(pool)
        finally:
            pool.submit(_close).result()


def _open(name: str, loop: str, backend: Backend) -> None:
    _workers.append(_here.enter_context(hired(name, loop, backend, None)))


def _close() -> None:
    _here.close()


def _prepare(jobs: Sequence[str]) -> int | None:
    return _workers[0].prepare(jobs)


def _play(steps: Sequence[Step], go: int) -> list[Asked]:
    return _workers[0].play(steps, go).result()
