"""A thousand claims at once: all are answered, and no heartbeat waits for them."""

import math
import time
from typing import cast

import anyio
import anyio.lowlevel
import pytest

from anarchon.backends.redis import RedisBackend
from anarchon.protocol import ClaimReply, LeaseStore, Won
from anarchon.testing.conformance.probe import linked
from tests.servers.fleet import Fleet
from tests.servers.redis import Redis
from tests.stores.claims import claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

MANY = 1_000


async def test_heartbeats_pass_a_burst_of_claims(fleet: Fleet) -> None:
    """A beat that is sent when all claims wait is answered before most of them."""
    [slot] = past_slots(1)
    replies: list[ClaimReply] = []
    answered_before = math.inf
    backend = RedisBackend(fleet["redis8"].url, namespace=new_namespace())
    async with linked(backend) as link:
        store = cast("LeaseStore", link.store)
        alive = claim_of("alive", slot, "a", "A")
        assert isinstance(await link.call(store.claim, alive), Won)

        async def claim(number: int) -> None:
            asked = claim_of(f"job {number}", slot, f"t{number}", "A")
            replies.append(await link.call(store.claim, asked))

        began = time.perf_counter()
        async with anyio.create_task_group() as group:
            for number in range(MANY):
                group.start_soon(claim, number)
            while not replies:
                await anyio.lowlevel.checkpoint()
            assert (await link.call(store.heartbeat, "alive", slot, "a", 30.0)).accepted
            answered_before = len(replies)
        took = time.perf_counter() - began
    assert [Won] * MANY == [type(reply) for reply in replies]
    assert answered_before < MANY / 2
    print(f"{MANY} claims in {took:.2f} s, a beat after {answered_before} of them")


async def test_burst_takes_few_connections(fleet: Fleet) -> None:
    """However much is asked at once: two for claims, and two for beats."""
    server = fleet["redis8"]
    assert isinstance(server, Redis)
    [slot] = past_slots(1)
    namespace = new_namespace()
    url = f"{server.url}?client_name={namespace}"
    async with linked(RedisBackend(url, namespace=namespace)) as link:
        store = cast("LeaseStore", link.store)
        async with anyio.create_task_group() as group:
            for number in range(200):
                job, token = f"job {number}", f"t{number}"
                asked = claim_of(job, slot, token, "A")
                group.start_soon(link.call, store.claim, asked)
                group.start_soon(link.call, store.heartbeat, job, slot, token, 30.0)
        with server.client() as client:
            ours = [one for one in client.client_list() if one["name"] == namespace]
    assert 4 == len(ours)
