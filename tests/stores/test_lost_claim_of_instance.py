"""A running scheduler whose claim was granted, but which didn't hear of it."""

import time

import anyio
import pytest

import anarchon
from tests.servers.fleet import Fleet
from tests.servers.proxy import Proxy
from tests.stores.stores import Kind, each_kind, new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

HOUR = 3_600.0
SOON, WITHIN = 0.8, 15.0
# of all requests of an instance, the claims alone name it
MINE = "this-instance"


@each_kind
async def test_it_runs_the_slot_exactly_once(fleet: Fleet, kind: Kind) -> None:
    """It asks again and runs what it had won, unless the rival was even faster."""
    server, namespace = fleet[kind.server], new_namespace()
    ran: list[tuple[int, int, str]] = []
    told: list[str] = []
    errors: list[str] = []

    async def work(ctx: anarchon.RunContext) -> None:
        ran.append((ctx.slot, ctx.attempt, ctx.instance_id))
        await anyio.sleep(0.1)

    with Proxy(server.port) as proxy:
        cut_off = kind.url(server.url_at(proxy.port), namespace)
        straight = kind.url(server.url, namespace)
        async with (
            anarchon.open_scheduler(cut_off, instance_id=MINE, jitter=0) as mine,
            anarchon.open_scheduler(straight, instance_id="B", jitter=1) as rival,
        ):
            slot = round((time.time() + SOON) * 1000)
            # twice, since some stores ask once more at once by themselves
            proxy.cut_next_reply(MINE.encode(), times=2)
            mine.on("error", lambda event: errors.append(event.operation))
            for scheduler in (mine, rival):
                scheduler.on("success", lambda event: told.append(event.name))
                scheduler.on("skip", lambda event: told.append(event.name))
                scheduler.every("job", HOUR, work, offset=slot / 1000 % HOUR)
            with anyio.fail_after(WITHIN):
                while len(told) < 2:
                    await anyio.sleep(0.02)
            records = await rival.history("job")
    assert [(slot, 1)] == [run[:2] for run in ran]
    assert ["skip", "success"] == sorted(told)
    assert {"claim"} == set(errors)
    assert [(*run, "success") for run in ran] == [
        (r.slot, r.attempt, r.instance_id, r.status) for r in records
    ]
