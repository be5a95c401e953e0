"""Records of manual runs, for every store: runs of their own, outside all slots."""

from datetime import timedelta

from anarchon.model import Reason, RunRecord
from anarchon.protocol import Won
from anarchon.testing.conformance.clock import MINUTE, SLOT, ManualClock
from anarchon.testing.conformance.probe import START, Probe


def manual(job: Probe, token: str, slot: int = SLOT) -> RunRecord:
    """Return the record of a manual run that started at its slot and took a second."""
    started_at = START + timedelta(milliseconds=slot - SLOT)
    return job.success_of(
        token,
        slot,
        reason=Reason.MANUAL,
        manual=True,
        started_at=started_at,
        ended_at=started_at + timedelta(seconds=1),
    )


class Manual:
    """What the record of a manual run does, and what it leaves alone."""

    async def test_manual_record_is_read_as_written(self, job: Probe) -> None:
        """L10: a manual run is in history as its runner told it."""
        record = manual(job, "m")
        await job.record(record, "m")
        assert [record] == await job.history()

    async def test_manual_record_is_added_once(self, job: Probe) -> None:
        """L2: a record that is sent again, since its answer was lost, isn't doubled."""
        record = manual(job, "m")
        for _ in range(3):
            await job.record(record, "m")
        assert [record] == await job.history()

    async def test_manual_runs_are_told_apart_by_token(self, job: Probe) -> None:
        """Two manual runs may start in the same millisecond."""
        await job.record(manual(job, "m"), "m")
        await job.record(manual(job, "n"), "n")
        read = {record.instance_id for record in await job.history()}
        assert {"M", "N"} == read

    async def test_manual_record_moves_no_newest_slot(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L3: a manual run takes neither its own millisecond nor an older slot."""
        await job.record(manual(job, "m", SLOT + 1000), "m")
        await job.record(manual(job, "n", SLOT), "n")
        await job.run("a", SLOT)
        clock.move(1)
        assert isinstance(await job.claim("b", SLOT + 1000), Won)

    async def test_manual_records_are_sorted_in(
        self, job: Probe, clock: ManualClock
    ) -> None:
        """L10: manual and scheduled runs are read together, by when they started."""
        await job.run("a")
        clock.move(60)
        await job.claim("b", SLOT + MINUTE)
        await job.record(manual(job, "m", SLOT + 1000), "m")
        read = [record.instance_id for record in await job.history()]
        assert ["B", "M", "A"] == read

    async def test_manual_records_are_trimmed(self, job: Probe) -> None:
        """L10: a job that is only ever run by hand has a bounded history as well."""
        for second in range(10):
            slot = SLOT + second * 1000
            await job.record(manual(job, "m", slot), f"m{second}", keep=3)
        slots = [record.slot for record in await job.history()]
        assert [SLOT + second * 1000 for second in (9, 8, 7)] == slots

    async def test_manual_records_push_out_no_young_ones(self, job: Probe) -> None:
        """L10, T10: manual runs don't cost a scheduled run its record."""
        await job.run("a")
        for second in range(1, 10):
            slot = SLOT + second * 1000
            await job.record(manual(job, "m", slot), f"m{second}", keep=3)
        assert (await job.finish("a")).accepted
