"""Options and arguments that ask for all there is."""

import sys
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

import anarchon
from tests.servers.fleet import Fleet
from tests.stores.stores import Kind, each_kind, new_namespace

if TYPE_CHECKING:
    from anarchon.options import JobOptions

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

WITHIN = 20.0


@each_kind
async def test_largest_number_is_as_good_as_any(fleet: Fleet, kind: Kind) -> None:
    """A job without a bound to its attempts and records runs, and tells them all."""
    url = kind.url(fleet[kind.server].url, new_namespace())
    options: JobOptions = {"keep": sys.maxsize}
    if kind.leases:
        options["max_attempts"] = sys.maxsize
    over = anyio.Event()

    async def work(_: anarchon.RunContext) -> None:
        await anyio.lowlevel.checkpoint()

    async with anarchon.open_scheduler(url, jitter=0) as scheduler:
        scheduler.on("success", lambda _: over.set())
        scheduler.every("job", 1, work, **options)
        with anyio.fail_after(WITHIN):
            await over.wait()
        records = await scheduler.history("job", limit=sys.maxsize)
    assert "success" in [record.status for record in records]
