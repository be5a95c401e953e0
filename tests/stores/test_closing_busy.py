"""A store that is closed while its server is silent and calls are under way."""

import contextlib
import time

import anyio
import pytest

from anarchon.backends import backend_from
from anarchon.bridge import BridgeClosed
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

MANY = 30
WITHIN = 3.0


@pytest.mark.parametrize("server", ["redis8", "postgres18"])
async def test_calls_under_way_hold_nothing_up(
    fleet: Fleet, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It closes at once, cuts what nobody answers, and leaves no connection behind."""

    async def ask(link: Link) -> None:
        with contextlib.suppress(BridgeClosed):
            await link.call(link.store.history, "job", 1)

    with fleet.fresh(server) as silent:
        url = f"{silent.url}?namespace={new_namespace()}"
        async with anyio.create_task_group() as group:
            async with linked(backend_from(url)) as link:
                async with anyio.create_task_group() as warming_up:
                    for _ in range(MANY):
                        warming_up.start_soon(ask, link)
                silent.freeze()
                for _ in range(MANY):
                    group.start_soon(ask, link)
                await anyio.wait_all_tasks_blocked()
                began = time.monotonic()
            took = time.monotonic() - began
        silent.thaw()
    assert took < WITHIN
    ours = [record for record in caplog.records if record.name == "anarchon"]
    assert [] == [record.getMessage() for record in ours]
