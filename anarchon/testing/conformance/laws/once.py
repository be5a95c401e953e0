"""What holds on a claim-only store alone: every slot is granted once, and for good."""

from anarchon.model import Status
from anarchon.protocol import Running, Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.probe import Probe


class Once:
    """No lease, no backup, no overlap rule; the claim itself is all there is."""

    async def test_taken_slot_is_running_elsewhere(self, job: Probe) -> None:
        """L1: who is refused hears who has the slot; nothing is known of a lease."""
        await job.claim("a")
        reply = Running(now=job.now, attempt=1, left=0.0, instance_id="A")
        assert reply == await job.claim("b")

    async def test_finished_slot_is_still_taken(self, job: Probe) -> None:
        """L1: the answer stays the same when the run is over, to its own token too."""
        await job.run("a")
        reply = Running(now=job.now, attempt=1, left=0.0, instance_id="A")
        assert reply == await job.claim("b")
        assert reply == await job.claim("a")

    async def test_slot_is_never_taken_over(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L1: no time that passes makes a granted slot free again."""
        await job.claim("a")
        clock.move(86_400)
        assert not isinstance(await job.claim("b", limit=864_000.0), Won)
        assert not isinstance(await job.claim("b", attempt=2, limit=864_000.0), Won)

    async def test_claim_without_a_result_reads_running(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: history doesn't guess what became of a runner."""
        await job.claim("a")
        clock.move(86_400)
        assert [job.record_of("a")] == await job.history()

    async def test_slots_do_not_block_each_other(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """Runs overlap, whatever the claim asks for."""
        await job.claim("a")
        clock.move(60)
        assert isinstance(await job.claim("b", SLOT + MINUTE), Won)
        assert (await job.finish("a")).accepted
        assert (await job.finish("b", SLOT + MINUTE)).accepted

    async def test_newer_slot_ends_no_older_run(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """Nobody speaks for a runner that is gone: nothing is interrupted for it."""
        await job.claim("a")
        clock.move(60)
        reply = await job.claim("b", SLOT + MINUTE)
        assert isinstance(reply, Won)
        assert () == reply.ended
        assert Status.RUNNING == (await job.history())[1].status
