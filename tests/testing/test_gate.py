"""The gate: who is held, and who gets through."""

import threading

import anyio
import pytest

from anarchon.testing.gate import LONGEST_FREEZE, Gate

pytestmark = pytest.mark.anyio


async def test_an_open_gate_holds_nobody() -> None:
    """Without a freeze, coming by takes no time."""
    await Gate().hold()

    assert 0.0 == anyio.current_time()


async def test_all_who_wait_are_thawed_together() -> None:
    """A thaw lets everybody go on at that instant."""
    gate = Gate()
    gate.freeze()
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(gate.hold)
        await anyio.sleep(7)
        gate.thaw()

    assert 7.0 == anyio.current_time()


async def test_a_gate_frozen_again_holds_again() -> None:
    """Whoever had no time to leave between two freezes stays."""
    gate = Gate()
    gate.freeze()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gate.hold)
        await anyio.sleep(7)
        gate.thaw()
        gate.freeze()
        await anyio.sleep(7)
        gate.thaw()

    assert 14.0 == anyio.current_time()


async def test_killing_frees_whoever_is_frozen() -> None:
    """A killed instance has nothing left to wait for."""
    gate = Gate()
    gate.freeze()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gate.hold)
        await anyio.sleep(7)
        gate.kill()

    assert gate.cut
    assert 7.0 == anyio.current_time()


async def test_a_forgotten_freeze_ends_after_a_day() -> None:
    """A test that forgets to thaw fails in some way, and doesn't hang."""
    gate = Gate()
    gate.freeze()

    await gate.hold()

    assert LONGEST_FREEZE == anyio.current_time()


@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_a_thaw_may_come_from_another_thread() -> None:
    """A store in a loop of its own is frozen and thawed from where the test runs."""
    gate = Gate()
    gate.freeze()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gate.hold)
        await anyio.wait_all_tasks_blocked()
        thread = threading.Thread(target=gate.thaw)
        thread.start()
    thread.join()

    assert not gate.frozen
