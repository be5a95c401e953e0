"""Claims that meet in a PostgreSQL server: one is granted, and the log stays silent."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import cast

import anyio
import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.model import Overlap
from anarchon.protocol import ClaimReply, LeaseStore, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

each_way = pytest.mark.parametrize("name", ["postgres18", "postgres15", "pgbouncer"])

STORES = 3
CLAIMERS = 50
ROUNDS = 40


@asynccontextmanager
async def stores(url: str) -> AsyncGenerator[list[Link]]:
    """Open a store several times over, so that claims come by several connections."""
    name = new_namespace()
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                linked(PostgresBackend(url, namespace=name))
            )
            for _ in range(STORES)
        ]


async def claimed_at_once(
    links: list[Link], slots: list[int], overlap: Overlap
) -> list[ClaimReply]:
    """Have each of the slots claimed by a token of its own, all at the same time."""
    replies: list[ClaimReply] = []

    async def ask(number: int, slot: int) -> None:
        link = links[number % len(links)]
        claim = claim_of("job", slot, f"{slot}-{number}", f"i{number}")
        claim = replace(claim, overlap=overlap)
        replies.append(await link.call(link.store.claim, claim))

    async with anyio.create_task_group() as claimers:
        for number, slot in enumerate(slots):
            claimers.start_soon(ask, number, slot)
    return replies


@each_way
async def test_race_leaves_nothing_in_the_log(fleet: Fleet, name: str) -> None:
    """L1: one of many claims is granted; those that lose are no errors anywhere."""
    server = fleet[name]
    before = server.log.stat().st_size
    async with stores(server.url) as links:
        for slot in past_slots(5):
            replies = await claimed_at_once(links, [slot] * CLAIMERS, Overlap.ALLOW)
            assert 1 == sum(isinstance(reply, Won) for reply in replies)
    with server.log.open("rb") as log:
        log.seek(before)
        told = log.read()
    assert not [word for word in (b"ERROR", b"WARNING", b"deadlock") if word in told]


@each_way
async def test_two_slots_of_a_job_at_once_have_one_run_alive(
    fleet: Fleet, name: str
) -> None:
    """L5: a claim sees what the one before it was granted, however close they came.

    The older slot may be granted first, which the newer one then finds alive; or the
    newer one first, and then the older is superseded.
    """
    async with stores(fleet[name].url) as links:
        for slot in past_slots(2 * ROUNDS)[::2]:
            replies = await claimed_at_once(links, [slot, slot + 1], Overlap.SKIP)
            assert 1 == sum(isinstance(reply, Won) for reply in replies), replies
            await end_all(links[0], (slot, slot + 1))


async def end_all(link: Link, slots: tuple[int, ...]) -> None:
    """Hand over whatever is alive, so that it blocks nothing any more."""
    store = cast("LeaseStore", link.store)
    for number, slot in enumerate(slots):
        await link.call(store.release, "job", slot, f"{slot}-{number}")
