"""Real processes, held: each deed has its effect, and none is left behind."""

import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import psutil
import pytest

from anarchon.cli.processes import Cluster, InstanceFailed
from anarchon.cli.report import Kind, Report
from anarchon.cli.setup import Setup, Work

pytestmark = [pytest.mark.anyio, pytest.mark.processes]

WITHIN = 15.0


class Heard:
    """All reports, and questions about them for ``Cluster.until``."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def next(self, kind: Kind) -> Callable[[], Report | None]:
        """Ask for a report of this kind that comes after now."""
        known = len(self.reports)
        return lambda: next((r for r in self.reports[known:] if r.kind is kind), None)

    def kinds(self) -> list[Kind]:
        """Return what was told, without the runs."""
        runs = (Kind.START, Kind.PROGRESS, Kind.SUCCESS)
        return [report.kind for report in self.reports if report.kind not in runs]


@pytest.fixture
def heard() -> Heard:
    """Return a listener."""
    return Heard()


@pytest.fixture
def setup(anyio_backend: tuple[str, dict[str, object]]) -> Setup:
    """Return an instance with a store of its own and one busy job."""
    return Setup(
        instance_id="A",
        store="memory://",
        loop=anyio_backend[0],
        lease=3.0,
        heartbeat=0.5,
        works=(Work(job="sync", every=0.1, takes=0.05),),
    )


@asynccontextmanager
async def held(heard: Heard) -> AsyncGenerator[Cluster]:
    """Hold processes for a while, and kill what is left of them."""
    with anyio.fail_after(WITHIN):
        async with anyio.create_task_group() as group:
            yield Cluster(group, heard.reports.append)
            group.cancel_scope.cancel()


async def test_process_reports_its_runs(setup: Setup, heard: Heard) -> None:
    """An instance tells that it is ready, then each run with its progress and end."""
    async with held(heard) as cluster:
        member = await cluster.spawn(setup)
        success = await cluster.until(heard.next(Kind.SUCCESS))
        assert [Kind.SPAWNED, Kind.READY] == heard.kinds()
        assert {member.pid} == {r.pid for r in heard.reports if r.pid}
        about = (success.job, success.slot, success.attempt)
        told = [r.kind for r in heard.reports if (r.job, r.slot, r.attempt) == about]
        assert [Kind.START, Kind.PROGRESS, Kind.SUCCESS] == told


async def test_stopped_process_ends_by_itself(setup: Setup, heard: Heard) -> None:
    """After a stop the process ends with status 0, and that is no failure."""
    async with held(heard) as cluster:
        member = await cluster.spawn(setup)
        await cluster.until(heard.next(Kind.READY))
        member.stop()
        exited = await cluster.until(heard.next(Kind.EXITED))
        assert 0 == exited.exit_status
        assert member.failure is None


async def test_killed_process_ends_at_once(setup: Setup, heard: Heard) -> None:
    """After a kill the process is gone without a word, and that is no failure."""
    async with held(heard) as cluster:
        member = await cluster.spawn(setup)
        await cluster.until(heard.next(Kind.READY))
        member.kill()
        exited = await cluster.until(heard.next(Kind.EXITED))
        assert -signal.SIGKILL == exited.exit_status
        assert member.failure is None
        assert not psutil.pid_exists(member.pid)


async def test_frozen_process_stands_still_until_thawed(
    setup: Setup, heard: Heard
) -> None:
    """A frozen process runs nothing; thawed, it goes on where it was."""
    async with held(heard) as cluster:
        member = await cluster.spawn(setup)
        await cluster.until(heard.next(Kind.SUCCESS))
        member.freeze()
        while psutil.Process(member.pid).status() != psutil.STATUS_STOPPED:
            await anyio.sleep(0.01)
        member.thaw()
        await cluster.until(heard.next(Kind.START))
        assert [Kind.SPAWNED, Kind.READY, Kind.FROZEN, Kind.THAWED] == heard.kinds()


async def test_name_can_live_again(setup: Setup, heard: Heard) -> None:
    """An instance that was killed can be started anew under its name."""
    async with held(heard) as cluster:
        first = await cluster.spawn(setup)
        first.kill()
        await cluster.until(heard.next(Kind.EXITED))
        second = await cluster.spawn(setup)
        await cluster.until(heard.next(Kind.READY))
        assert cluster["A"] is second
        assert first.pid != second.pid


async def test_failed_process_ends_the_waiting(setup: Setup, heard: Heard) -> None:
    """When a process ends by itself nobody waits in vain, and the reason is told."""
    broken = replace(setup, store="nowhere://")
    async with held(heard) as cluster:
        await cluster.spawn(broken)
        with pytest.raises(
            InstanceFailed, match=r"A ended with status 1: .*nowhere://"
        ):
            await cluster.until(heard.next(Kind.READY))


async def test_nothing_outlives_the_group(setup: Setup, heard: Heard) -> None:
    """Cancelling the group kills every process, also a frozen one."""
    async with held(heard) as cluster:
        members = [await cluster.spawn(setup), await cluster.spawn(setup)]
        await cluster.until(heard.next(Kind.READY))
        members[1].freeze()
    assert [] == [member.pid for member in members if psutil.pid_exists(member.pid)]


def test_orphan_removes_its_folder(setup: Setup, tmp_path: Path) -> None:
    """When whoever started it is gone, an instance ends and leaves no files."""
    folder = tmp_path / "left"
    folder.mkdir()
    (folder / "file").touch()
    told = replace(setup, remove=str(folder))
    command = [sys.executable, "-m", "anarchon.cli.instance", told.to_json()]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline()
            process.stdin.close()
            assert 1 == process.wait(WITHIN)
        finally:
            process.kill()
    assert not folder.exists()
