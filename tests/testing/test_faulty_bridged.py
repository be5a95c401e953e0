"""Faults around a store of asyncio's, in whichever loop the host runs, on real time."""

from pathlib import Path
from typing import cast

import anyio
import pytest

from anarchon.backends.sqlite import SqliteBackend
from anarchon.bridge import Bridge, open_bridge
from anarchon.protocol import LeaseStore, Won
from anarchon.testing.clocks import EPOCH
from anarchon.testing.faults import FAIL_AFTER, HANG_BEFORE, Fault, Faults
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.gate import Gate
from tests.testing.claims import SLOT, a_claim

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"]),
]


class StoppedClock:
    """A store's clock that stands still at the epoch."""

    def time(self) -> float:
        """Return the epoch, in seconds since 1970 UTC."""
        return EPOCH


@pytest.fixture
def backend(tmp_path: Path) -> SqliteBackend:
    """Describe a store of the test's own."""
    return SqliteBackend(tmp_path / "runs.db", clock=StoppedClock())


async def claim(bridge: Bridge, store: LeaseStore, bound: float = 5.0) -> Won:
    """Send a claim over the bridge, as a scheduler does."""
    reply = await bridge.call(store.claim, a_claim(), bound=bound, keep=True)
    assert isinstance(reply, Won)
    return reply


async def test_faults_meet_a_store_behind_a_bridge(backend: SqliteBackend) -> None:
    """Lost replies, silence and delays look to the host as on any other store."""
    faults = Faults()
    faulty = FaultyBackend(backend, faults)
    assert faulty.needs_asyncio
    async with (
        open_bridge(faulty.needs_asyncio) as bridge,
        bridge.hold(faulty.open()) as opened,
    ):
        store = cast("LeaseStore", opened)
        faults.script("claim", FAIL_AFTER, HANG_BEFORE, Fault(request_delay=0.01))
        with pytest.raises(ConnectionError, match="the reply was lost"):
            await claim(bridge, store)
        with pytest.raises(TimeoutError):
            await claim(bridge, store, bound=0.05)
        reply = await claim(bridge, store)

        assert 1 == reply.attempt
        assert {"open": 1, "claim": 3} == faults.calls


async def test_a_store_behind_a_bridge_is_frozen_and_thawed(
    backend: SqliteBackend,
) -> None:
    """The gate is worked from the host's loop, and holds calls in the store's."""
    faults, gate = Faults(), Gate()
    faulty = FaultyBackend(backend, faults, gate)
    async with (
        open_bridge(faulty.needs_asyncio) as bridge,
        bridge.hold(faulty.open()) as opened,
        anyio.create_task_group() as tasks,
    ):
        store = cast("LeaseStore", opened)
        gate.freeze()
        tasks.start_soon(claim, bridge, store)
        await anyio.wait_all_tasks_blocked()
        assert 0 == faults.calls["claim"]
        gate.thaw()

    assert 1 == faults.calls["claim"]
    assert Won(now=SLOT, attempt=1, left=30.0) == faults.log[-1].reply
