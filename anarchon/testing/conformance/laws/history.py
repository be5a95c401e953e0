"""Law L10, for every store: history is whole, sorted and bounded."""

from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.laws.manual import manual
from anarchon.testing.conformance.probe import KEEP_FOR, Probe


class History:
    """What can be read of attempts, and for how long."""

    async def test_unknown_job_has_no_history(self, job: Probe) -> None:
        """A name that no instance ever used reads as empty, unprepared."""
        assert [] == await job.named("never heard of").history()

    async def test_running_attempt_is_recorded(self, job: Probe) -> None:
        """L10: an attempt has its record from the step that grants it."""
        await job.claim("a")
        assert [job.record_of("a")] == await job.history()

    async def test_refusals_leave_no_record(self, job: Probe) -> None:
        """L10: only attempts are recorded, not claims that didn't win."""
        await job.claim("a")
        await job.claim("b")
        assert [job.record_of("a")] == await job.history()

    async def test_reason_is_the_claims_mode(self, job: Probe) -> None:
        """L10: a record tells whether its slot was caught up."""
        await job.claim("a", mode=Reason.CATCH_UP)
        record = job.record_of("a", reason=Reason.CATCH_UP)
        assert [record] == await job.history()

    async def test_newest_comes_first(self, job: Probe, clock: ManualClock) -> None:
        """L10: records are read by when their attempt started, the newest first."""
        for minute, token in enumerate("abc"):
            await job.run(token, SLOT + minute * MINUTE)
            clock.move(60)
        read = [record.instance_id for record in await job.history()]
        assert ["C", "B", "A"] == read

    async def test_limit_takes_the_newest(self, job: Probe, clock: ManualClock) -> None:
        """L10: of more records than asked for, the newest are read."""
        for minute, token in enumerate("abcd"):
            await job.run(token, SLOT + minute * MINUTE)
            clock.move(60)
        read = [record.instance_id for record in await job.history(2)]
        assert ["D", "C"] == read
        assert [] == await job.history(0)

    async def test_old_records_are_trimmed(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: the newest ``keep`` records stay, whatever came before is dropped."""
        for minute in range(20):
            slot = SLOT + minute * MINUTE
            await job.run(f"a{minute}", slot, keep=3, keep_for=0.0)
            clock.move(60)
        slots = [record.slot for record in await job.history()]
        assert [SLOT + minute * MINUTE for minute in (19, 18, 17)] == slots

    async def test_lost_run_takes_no_record_away(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: a run without an end, asked to keep fewer, hides no newer record."""
        await job.claim("a", keep=1)
        for minute, token in enumerate("bcde", 1):
            clock.move(60)
            slot = SLOT + minute * MINUTE
            await job.run(token, slot, keep=3, keep_for=0.0, overlap=Overlap.ALLOW)
        read = [record.instance_id for record in await job.history()]
        assert ["E", "D", "C"] == read[:3]

    async def test_interruption_is_recorded(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: a runner may end its attempt as interrupted; that is no hand-over."""
        await job.claim("a")
        end = End(status=Status.INTERRUPTED, duration=0.5)
        assert (await job.finish("a", end=end)).accepted
        record = job.record_of(
            "a", status=Status.INTERRUPTED, ended_at=clock.at, duration=0.5
        )
        assert [record] == await job.history()
        assert not isinstance(await job.claim("b"), Won)


class Trimming:
    """For a store that trims exactly: how long a record is kept beyond ``keep``."""

    async def test_young_records_are_not_trimmed(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10, T10: a finish asked again within ``keep_for`` still finds its record."""
        await job.run("a", keep=1)
        clock.move(KEEP_FOR)
        slot = clock.ms
        await job.run("b", slot, keep=1)
        assert [slot, SLOT] == [record.slot for record in await job.history()]
        assert (await job.finish("a")).accepted

    async def test_records_past_their_time_are_trimmed(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: a record is protected by ``keep_for`` alone, and no longer than that."""
        await job.run("a", keep=1)
        clock.move(KEEP_FOR + 0.001)
        await job.claim("b", clock.ms, keep=1)
        assert [clock.ms] == [record.slot for record in await job.history()]

    async def test_record_that_ended_before_its_start_is_not_trimmed_early(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: where the store's clock was set back, the start protects it as well."""
        await job.claim("a", keep=1)
        clock.move(-KEEP_FOR)
        assert (await job.finish("a")).accepted
        clock.move(KEEP_FOR + 1)
        await job.claim("b", clock.ms, keep=1)
        assert [clock.ms, SLOT] == [record.slot for record in await job.history()]

    async def test_unfinished_run_keeps_no_manual_record(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: a manual run is no part of the run whose slot it happens to have."""
        await job.claim("a")
        await job.record(manual(job, "m"), "m")
        clock.move(60)
        await job.claim("b", clock.ms, overlap=Overlap.ALLOW, keep=1, keep_for=0.0)
        assert ["B", "A"] == [record.instance_id for record in await job.history()]
