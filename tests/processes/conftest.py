"""Clusters of real processes, and a summary of the times that were measured."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.processes.cluster import Cluster
from tests.processes.scenes import HEARTBEAT, JITTER, LEASE, Measure

_TIMES = pytest.StashKey[dict[tuple[str, float], list[float]]]()


@pytest.fixture(
    params=[("trio",), ("asyncio",), ("trio", "asyncio")],
    ids=["trio", "asyncio", "mixed"],
)
def loops(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Name the loops that the instances run on in turn."""
    names: tuple[str, ...] = request.param
    return names


@pytest.fixture
def cluster(tmp_path: Path, loops: tuple[str, ...]) -> Generator[Cluster]:
    """Give a cluster; in the end no attempt was started twice, nothing crashed."""
    with Cluster(
        tmp_path,
        loops,
        lease=LEASE,
        heartbeat=HEARTBEAT,
        jitter=JITTER,
        stop_timeout=5,
        keep=10_000,
    ) as cluster:
        yield cluster
        assert [] == cluster.started_twice()
        assert "Traceback" not in cluster.complaints(), cluster.story()


@pytest.fixture
def measure(pytestconfig: pytest.Config) -> Measure:
    """Give a function that keeps a measured time and its bound, both in seconds."""
    times = pytestconfig.stash.setdefault(_TIMES, {})

    def keep(what: str, seconds: float, bound: float) -> None:
        times.setdefault((what, bound), []).append(seconds)

    return keep


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Tell the distribution of each measured time."""
    for (what, bound), times in sorted(config.stash.get(_TIMES, {}).items()):
        ordered = sorted(times)
        terminalreporter.write_line(
            f"{what}: {len(times)} times, {ordered[0]:.2f} to {ordered[-1]:.2f} s, "
            f"median {ordered[len(times) // 2]:.2f} s"
            + (f", promised within {bound:.2f} s" if bound else "")
        )
