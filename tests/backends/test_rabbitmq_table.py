"""What follows from a log of claims in RabbitMQ: who has a slot, and for how long."""

from dataclasses import replace

from anarchon.backends.rabbitmq.entries import (
    Claimed,
    Ended,
    Entry,
    Mark,
    packed,
    unpacked,
)
from anarchon.backends.rabbitmq.table import Table
from anarchon.model import Reason

SLOT = 1_800_000_000_000
REMEMBER = 3_600.0

CLAIM = Claimed(
    job="job\u2603 \ud83d",
    slot=SLOT,
    token="a",
    instance_id="A",
    reason=Reason.SCHEDULED,
    started=SLOT + 5,
    keep=100,
)
RIVAL = replace(CLAIM, token="b", instance_id="B")
END = Ended(job=CLAIM.job, slot=SLOT, token="a", ended=SLOT + 9, end="well")


def table_of(*entries: Entry) -> Table:
    """Return what follows from these entries, all read at the same time."""
    table = Table(REMEMBER)
    for entry in entries:
        table.apply(entry, 0.0)
    return table


def test_entries_are_read_as_written() -> None:
    """Every kind of entry comes out of the log as it was put in."""
    entries: tuple[Entry, ...] = (CLAIM, END, Mark())
    for number, entry in enumerate(entries):
        assert (f"{number}", entry) == unpacked(packed(f"{number}", entry))


def test_first_entry_has_the_slot() -> None:
    """L1: whatever comes after the first claim of a slot changes nothing."""
    run = table_of(CLAIM, RIVAL, CLAIM).run(CLAIM.job, SLOT)
    assert run is not None
    assert CLAIM == run.claimed


def test_only_the_owner_ends_a_run_and_only_once() -> None:
    """L2, L7: neither another token nor a second end of the same one counts."""
    rivals = replace(END, token="b", end="by another")
    again = replace(END, ended=SLOT + 99, end="otherwise")
    run = table_of(CLAIM, rivals, END, again).run(CLAIM.job, SLOT)
    assert run is not None
    assert END == run.ended


def test_reading_a_stretch_twice_changes_nothing() -> None:
    """A reader that begins anew comes to the same answers."""
    log = (CLAIM, END, RIVAL)
    run = table_of(*log, *log).run(CLAIM.job, SLOT)
    assert run is not None
    assert (CLAIM, END) == (run.claimed, run.ended)


def test_old_runs_are_forgotten() -> None:
    """A table grows no further than what was read in the time to remember."""
    table = Table(REMEMBER)
    slots = range(SLOT, SLOT + 10_000)
    for second, slot in enumerate(slots):
        table.apply(replace(CLAIM, slot=slot), float(second))
    assert REMEMBER + 1 == len(table)
    assert table.run(CLAIM.job, SLOT) is None
    assert table.run(CLAIM.job, slots[-1]) is not None


def test_run_that_goes_on_here_is_kept() -> None:
    """L7: however long a run of one's own takes, it can still be ended."""
    table = table_of(CLAIM, replace(CLAIM, slot=SLOT + 1))
    run = table.run(CLAIM.job, SLOT)
    assert run is not None
    run.mine = True
    for hour in range(1, 10):
        table.apply(Mark(), REMEMBER * hour + 1)
    assert run is table.run(CLAIM.job, SLOT)
    assert 1 == len(table)
    table.apply(END, REMEMBER * 10)
    table.apply(Mark(), REMEMBER * 12)
    assert 0 == len(table)
