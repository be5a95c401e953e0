"""The journal: what is kept of a cluster, how it is found, and how it reads."""

from datetime import UTC, datetime

import anyio
import pytest

from anarchon.events import Lost, RunEvent, Start
from anarchon.model import Reason
from anarchon.testing.clocks import EPOCH
from anarchon.testing.journal import Entry, Journal

pytestmark = pytest.mark.anyio

AT = datetime.fromtimestamp(EPOCH, UTC)
SLOT = round(EPOCH * 1000) + 1_500


def a_start(instance: str) -> Start:
    """Return the event of a first attempt."""
    return Start(
        instance_id=instance,
        at=AT,
        job="sync",
        slot=SLOT,
        attempt=1,
        reason=Reason.SCHEDULED,
    )


async def test_events_are_found_by_kind_and_instance() -> None:
    """Notes and other kinds are left out; a kind includes its subclasses."""
    journal = Journal()
    journal.write("A", "starts")
    journal.write("A", a_start("A"))
    await anyio.sleep(5)
    journal.write("B", a_start("B"))

    assert [(0.0, "A"), (5.0, "B")] == [
        (e.time, e.instance) for e in journal.seen(Start)
    ]
    assert ["B"] == [entry.instance for entry in journal.seen(RunEvent, on="B")]
    assert [] == journal.seen(Lost)


async def test_a_story_is_a_line_for_each_entry() -> None:
    """A line has the loop's time, the instance, and what happened to which attempt."""
    journal = Journal()
    journal.write("A", "starts")
    await anyio.sleep(1.75)
    journal.write("A", a_start("A"))

    assert [
        "       0.000  A  starts",
        "       1.750  A  start sync 00:00:01.500 attempt 1 reason=scheduled",
    ] == journal.story().splitlines()


async def test_a_condition_is_looked_at_when_something_happens() -> None:
    """Whoever waits wakes at the entry that makes the condition true."""
    journal = Journal()

    async def write_later() -> None:
        await anyio.sleep(7)
        journal.write("A", "crashes")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write_later)
        await journal.wait_for(lambda: bool(journal.entries), within=60)
        assert 7.0 == anyio.current_time()


async def test_a_condition_that_holds_is_not_waited_for() -> None:
    """Nothing need happen for what is true already."""
    await Journal().wait_for(lambda: True, within=60)

    assert 0.0 == anyio.current_time()


def test_an_entry_reads_as_a_line() -> None:
    """A note is shown with its time and its instance."""
    entry = Entry(time=61.5, instance="B", what="crashes")

    assert "      61.500  B  crashes" == str(entry)
