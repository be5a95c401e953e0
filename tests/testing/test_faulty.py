"""A backend with faults: what its caller hears, and what the store has done."""

from typing import cast

import anyio
import anyio.lowlevel
import pytest

from anarchon.backends.memory import MemoryBackend
from anarchon.errors import BackendUnavailable
from anarchon.model import Reason, Status
from anarchon.protocol import NoRun, Running, Won
from anarchon.testing.faults import (
    FAIL_AFTER,
    FAIL_BEFORE,
    HANG_AFTER,
    HANG_BEFORE,
    OK,
    Fault,
    Faults,
)
from anarchon.testing.faulty import FaultyBackend
from anarchon.testing.gate import Gate
from tests.testing.claims import SLOT, SUCCESS, a_claim
from tests.testing.worlds import a_world, try_claim

pytestmark = pytest.mark.anyio


async def test_without_faults_the_store_is_as_it_was() -> None:
    """Calls and replies go through unchanged, and take no time."""
    async with a_world() as world:
        reply = await world.faulty.claim(a_claim())
        beat = await world.faulty.heartbeat("sync", SLOT, "a1", 30.0)
        finish = await world.faulty.finish("sync", SLOT, "a1", SUCCESS)
        history = await world.faulty.history("sync", 10)

        assert Won(now=SLOT, attempt=1, left=30.0) == reply
        assert beat.accepted
        assert finish.accepted
        assert [Status.SUCCESS] == [record.status for record in history]
        assert 0.0 == anyio.current_time()


@pytest.mark.parametrize("leases", [True, False])
async def test_it_describes_the_backend_inside(*, leases: bool) -> None:
    """Whoever asks a faulty backend what it is gets the inner one's answer."""
    inner = MemoryBackend(leases=leases, remembers=60.0)
    faulty = FaultyBackend(inner, Faults())

    assert inner.name == faulty.name
    assert leases is faulty.leases
    assert inner.needs_asyncio is faulty.needs_asyncio
    assert 60.0 == faulty.remembers
    async with faulty.open() as store:
        assert leases is hasattr(store, "heartbeat")


@pytest.mark.parametrize(("fault", "granted"), [(FAIL_BEFORE, 0), (FAIL_AFTER, 1)])
async def test_a_lost_half_is_an_error(fault: Fault, granted: int) -> None:
    """The caller hears the same whichever half was lost; the store knows better."""
    async with a_world() as world:
        world.faults.script("claim", fault)

        with pytest.raises(ConnectionError, match="claim"):
            await world.faulty.claim(a_claim())

        assert granted == await world.records()


@pytest.mark.parametrize(("fault", "granted"), [(HANG_BEFORE, 0), (HANG_AFTER, 1)])
async def test_a_silent_loss_hangs_until_cancelled(fault: Fault, granted: int) -> None:
    """A caller that hears nothing can give up at any time."""
    async with a_world() as world:
        world.faults.script("claim", fault)

        with anyio.move_on_after(5) as scope:
            await world.faulty.claim(a_claim())

        assert scope.cancelled_caught
        assert 5.0 == anyio.current_time()
        assert granted == await world.records()


async def test_a_script_is_one_fault_for_each_call() -> None:
    """The faults of a script come in order; then all is well again."""
    async with a_world() as world:
        world.faults.script("claim", FAIL_BEFORE, OK, FAIL_AFTER)
        heard = [await try_claim(world) for _ in range(4)]

        assert [False, True, False, True] == heard


async def test_a_standing_fault_meets_its_operations_only() -> None:
    """Other operations go through."""
    async with a_world() as world:
        world.faults.always(FAIL_BEFORE, "claim", "finish")

        assert not await try_claim(world)
        assert SLOT == await world.faulty.time()


async def test_a_standing_fault_of_all_operations() -> None:
    """Naming no operation means each of them; clearing ends all faults."""
    async with a_world() as world:
        world.faults.always(FAIL_BEFORE)
        with pytest.raises(ConnectionError, match="time"):
            await world.faulty.time()

        world.faults.clear()

        assert SLOT == await world.faulty.time()


async def test_delays_add_up() -> None:
    """Request and reply each take their time."""
    async with a_world() as world:
        world.faults.script("time", Fault(request_delay=2.0, reply_delay=3.0))

        now = await world.faulty.time()

        assert SLOT + 2_000 == now
        assert 5.0 == anyio.current_time()


async def test_a_late_request_arrives_though_its_caller_gave_up() -> None:
    """What was sent can't be recalled."""
    async with a_world() as world:
        world.faults.script("claim", Fault(request_delay=20.0))
        with anyio.move_on_after(5):
            await world.faulty.claim(a_claim())
        before = await world.records()

        await anyio.sleep(15.1)

        assert (0, 1) == (before, await world.records())


async def test_a_late_request_that_fails_is_its_callers_error() -> None:
    """What the store raises comes back, however late."""
    async with a_world() as world:
        world.faults.script("history", Fault(request_delay=20.0))

        with pytest.raises(TypeError):
            await world.faulty.history(cast("str", ["no name"]), 10)

        assert 20.0 == anyio.current_time()


async def test_a_copy_arrives_later_and_is_not_heard() -> None:
    """A duplicate acts on the store as it is by then."""
    async with a_world() as world:
        world.faults.script("heartbeat", Fault(copy_after=20.0))
        await world.faulty.claim(a_claim())
        await world.faulty.heartbeat("sync", SLOT, "a1", 30.0)

        await anyio.sleep(31)
        reply = await world.direct.claim(
            a_claim(token="b1", attempt=2, mode=Reason.TAKEOVER)
        )

        assert isinstance(reply, Running)
        assert 19.0 == reply.left


@pytest.mark.parametrize("silent", [True, False])
async def test_a_partition_lets_no_request_through(*, silent: bool) -> None:
    """Until it is healed nothing that is sent reaches the store."""
    async with a_world() as world:
        world.faults.partition(silent=silent)
        with anyio.move_on_after(5) as scope:
            await try_claim(world)
        cut = await world.records()

        world.faults.heal()

        assert silent is scope.cancelled_caught
        assert 0 == cut
        assert await try_claim(world)


async def test_a_partition_makes_opening_fail() -> None:
    """A store that can't be reached can't be opened: that is the backends' error."""
    faults = Faults()
    faults.partition()
    backend = FaultyBackend(MemoryBackend(), faults)

    with pytest.raises(BackendUnavailable, match="open"):
        async with backend.open():
            pytest.fail("opened")


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    """The store's own task group shows in no error of its user."""
    with pytest.raises(LookupError, match="mine"):
        async with a_world():
            raise LookupError("mine")


async def test_closing_ends_what_is_still_under_way() -> None:
    """A delayed request holds no store open."""
    async with a_world() as world:
        world.faults.script("time", Fault(copy_after=600.0))
        await world.faulty.time()

    assert 0.0 == anyio.current_time()


async def test_frozen_calls_are_held_until_the_thaw() -> None:
    """Neither is a request sent nor a reply heard while an instance is frozen."""
    async with a_world() as world, anyio.create_task_group() as tasks:
        world.faults.script("claim", Fault(reply_delay=10.0))
        tasks.start_soon(world.faulty.claim, a_claim())
        await anyio.sleep(1)
        world.gate.freeze()
        tasks.start_soon(world.faulty.finish, "sync", SLOT, "a1", SUCCESS)
        await anyio.sleep(30)
        frozen = [call.operation for call in world.faults.log]
        world.gate.thaw()
        await anyio.sleep(0.5)

        assert ["open", "claim"] == frozen
        assert ["open", "claim", "finish"] == [c.operation for c in world.faults.log]
        assert 31.5 == anyio.current_time()


async def test_a_frozen_call_is_cancelled_at_the_thaw() -> None:
    """Nothing moves in a frozen instance, not even a deadline."""
    async with a_world() as world, anyio.create_task_group() as tasks:
        world.gate.freeze()
        tasks.start_soon(_thaw, world.gate, 30)
        with anyio.move_on_after(5) as scope:
            await world.faulty.time()
            await anyio.lowlevel.checkpoint()

    assert scope.cancelled_caught
    assert 30.0 == anyio.current_time()


async def test_a_killed_instance_sends_nothing_and_hears_nothing() -> None:
    """After a kill every call fails at once, those under way included."""
    async with a_world() as world, anyio.create_task_group() as tasks:
        world.faults.script("time", Fault(reply_delay=10.0))
        tasks.start_soon(_kill, world.gate, 5)
        with pytest.raises(ConnectionError, match="cut off"):
            await world.faulty.time()

        assert not await try_claim(world)
        assert 0 == world.faults.calls["claim"]
        assert 0 == await world.records()


async def test_calls_are_counted_and_written_down() -> None:
    """A test can read what was sent, when, and what was heard."""
    async with a_world() as world:
        claim = a_claim(mode=Reason.TAKEOVER)
        await anyio.sleep(2)
        await world.faulty.claim(claim)
        world.faults.script("time", FAIL_AFTER)
        with pytest.raises(ConnectionError):
            await world.faulty.time()

        assert {"open": 1, "claim": 1, "time": 1} == world.faults.calls
        opened, claimed, failed = world.faults.log
        assert "open" == opened.operation
        assert (2.0, 2.0, (claim,)) == (claimed.sent, claimed.time, claimed.args)
        assert NoRun(now=SLOT + 2_000, could=True) == claimed.reply
        assert isinstance(failed.error, ConnectionError)


async def test_a_claim_only_store_has_faults_too() -> None:
    """The operations of a claim-only store go through the same faults."""
    async with a_world(leases=False) as world:
        world.faults.script("finish", FAIL_AFTER)
        await world.faulty.claim(a_claim())
        with pytest.raises(ConnectionError):
            await world.faulty.finish("sync", SLOT, "a1", SUCCESS)

        history = await world.faulty.history("sync", 10)

        assert [Status.SUCCESS] == [record.status for record in history]


async def _thaw(gate: Gate, after: float) -> None:
    await anyio.sleep(after)
    gate.thaw()


async def _kill(gate: Gate, after: float) -> None:
    await anyio.sleep(after)
    gate.kill()
