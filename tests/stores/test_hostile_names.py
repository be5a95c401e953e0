"""Names that mean something to a store, or look alike once they are written for it."""

import time
from collections import Counter

import anyio
import anyio.lowlevel
import pytest

import anarchon
from tests.servers.fleet import Fleet
from tests.stores.stores import Kind, each_kind, new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

NAMES = (
    "a b",
    "a.b",
    "a_b",
    "A.B",
    "a%2Eb",
    "a.*.>",
    "a.#",
    "a:b|c/../d",
    "{a}",
    "}{",
    "'; drop table jobs; --",
    'say "a" $1 %s \\',
    "two\nlines\r\n",
    " \t",
    "café",
    "cafe\u0301",
    "🐟🐠",
    "x" * 199 + "1",
    "x" * 199 + "2",
    "🐟" * 200,
)
HOUR = 3_600.0
SOON, WITHIN = 1.0, 20.0


@each_kind
async def test_each_runs_once_and_is_kept_apart(fleet: Fleet, kind: Kind) -> None:
    """Two instances have jobs of all these names; each has one run and one record."""
    url = kind.url(fleet[kind.server].url, new_namespace())
    ran: Counter[tuple[str, int]] = Counter()
    ended: list[str] = []

    async def work(ctx: anarchon.RunContext) -> None:
        ran[ctx.job, ctx.slot] += 1
        await anyio.lowlevel.checkpoint()

    async with (
        anarchon.open_scheduler(url, instance_id="A", jitter=0.2) as one,
        anarchon.open_scheduler(url, instance_id="B", jitter=0.2) as other,
    ):
        first = round((time.time() + SOON) * 1000)
        # a slot of its own for each, to tell their records apart
        slots = {name: first + number for number, name in enumerate(NAMES)}
        for scheduler in (one, other):
            scheduler.on("success", lambda event: ended.append(event.job))
            scheduler.on("skip", lambda event: ended.append(event.job))
            for name, slot in slots.items():
                scheduler.every(name, HOUR, work, offset=slot / 1000 % HOUR)
        with anyio.fail_after(WITHIN):
            while len(ended) < 2 * len(NAMES):
                await anyio.sleep(0.02)
        records = [record for name in NAMES for record in await one.history(name)]
    assert dict.fromkeys(slots.items(), 1) == ran
    assert [(name, slots[name], "success") for name in NAMES] == [
        (record.job, record.slot, record.status) for record in records
    ]
