"""What somebody else wrote under the store's keys: it is named, and stays alone."""

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import cast

import anyio
import pytest

from anarchon.backends.records import Unreadable
from anarchon.backends.redis import RedisBackend
from anarchon.protocol import Claim, ClaimReply, LeaseStore, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.redis import Redis
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

SPOILT, SOUND = "spoilt", "sound"
BURST = 100
WITH_TEXT_FOR_A_NUMBER = (
    '{"slot":1,"attempt":"1","token":"t","instance_id":"A","ends":2,"lease":3,'
    '"spent":false,"freed":0}'
)
NO_RUNS = ["no JSON", "[]", "7", "{}", WITH_TEXT_FOR_A_NUMBER, b"\xff\xfe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A store in which job ``sound`` has a run, and ``spoilt`` is to be spoilt."""

    link: Link
    server: Redis
    namespace: str
    slot: int

    @property
    def store(self) -> LeaseStore:
        """The store, which keeps leases."""
        return cast("LeaseStore", self.link.store)

    def key(self, part: str) -> str:
        """Return a key of the job that is to be spoilt."""
        return f"{self.namespace}:{{{SPOILT}}}:{part}"

    async def claim(self, job: str) -> ClaimReply:
        """Claim a slot of a job."""
        asked: Claim = claim_of(job, self.slot, "a", "A")
        return await self.link.call(self.store.claim, asked)


@pytest.fixture(params=["redis8", "redis7"])
async def scene(fleet: Fleet, request: pytest.FixtureRequest) -> AsyncGenerator[Scene]:
    """Open a store on each server whose errors read differently."""
    server, namespace = fleet[request.param], new_namespace()
    assert isinstance(server, Redis)
    [slot] = past_slots(1)
    async with linked(RedisBackend(server.url, namespace=namespace)) as link:
        scene = Scene(link=link, server=server, namespace=namespace, slot=slot)
        assert isinstance(await scene.claim(SOUND), Won)
        yield scene


async def test_spoilt_job_of_a_burst_fails_alone(scene: Scene) -> None:
    """Claims that go over one line with one that can't be answered are granted."""
    with scene.server.client() as client:
        client.set(scene.key("runs"), "somebody else's")
    ends: dict[str, ClaimReply | Exception] = {}

    async def claim(job: str) -> None:
        try:
            ends[job] = await scene.claim(job)
        except Unreadable as error:
            ends[job] = error

    async with anyio.create_task_group() as claimers:
        for number in range(BURST):
            claimers.start_soon(claim, f"job {number}")
            if number == BURST // 2:
                claimers.start_soon(claim, SPOILT)

    assert isinstance(ends.pop(SPOILT), Unreadable)
    assert [Won] * BURST == [type(end) for end in ends.values()]


@pytest.mark.parametrize("part", ["runs", "records", "order"])
async def test_key_of_another_kind_is_named(scene: Scene, part: str) -> None:
    """A claim that meets it is granted nothing; the error has the key's name."""
    with scene.server.client() as client:
        client.set(scene.key(part), "somebody else's")
    with pytest.raises(Unreadable) as caught:
        await scene.claim(SPOILT)
    assert scene.key(part) in str(caught.value)
    with scene.server.client() as client:
        client.delete(scene.key(part))
    assert [] == await scene.link.call(scene.store.history, SPOILT, 10)
    assert isinstance(await scene.claim(SPOILT), Won)


async def test_jobs_beside_a_key_of_another_kind_are_read(scene: Scene) -> None:
    """The unfinished runs of all other jobs are told, and the key is named."""
    with scene.server.client() as client:
        client.set(scene.key("runs"), "somebody else's")
    found = await scene.link.call(scene.store.unfinished, [SPOILT, SOUND])
    assert [SOUND] == [run.job for run in found.runs]
    assert [scene.key("runs")] == [key for key, _ in found.unreadable]


@pytest.mark.parametrize("text", NO_RUNS)
async def test_run_that_makes_no_sense_is_named(
    scene: Scene, text: str | bytes
) -> None:
    """Neither a claim nor a heartbeat acts on it; the other jobs are read."""
    with scene.server.client() as client:
        client.hset(scene.key("runs"), str(scene.slot), text)
    with pytest.raises(Unreadable, match="field"):
        await scene.claim(SPOILT)
    with pytest.raises(Unreadable, match="field"):
        await scene.link.call(scene.store.heartbeat, SPOILT, scene.slot, "a", 30.0)
    found = await scene.link.call(scene.store.unfinished, [SPOILT, SOUND])
    assert [SOUND] == [run.job for run in found.runs]
    assert [scene.key("runs")] == [key for key, _ in found.unreadable]


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"slot":1}', "[" * 100_000])
async def test_record_that_makes_no_sense_is_named(scene: Scene, text: str) -> None:
    """Neither history nor a finish makes up for it."""
    assert isinstance(await scene.claim(SPOILT), Won)
    with scene.server.client() as client:
        client.hset(scene.key("records"), str(scene.slot), text)
    key = re.escape(scene.key("records"))
    with pytest.raises(Unreadable, match=key):
        await scene.link.call(scene.store.history, SPOILT, 10)
    with pytest.raises(Unreadable, match=key):
        await scene.link.call(scene.store.finish, SPOILT, scene.slot, "a", SUCCESS)


async def test_record_whose_end_makes_no_sense_hinders_no_claim(scene: Scene) -> None:
    """It is dropped when its time has come, as if it could be read."""
    spoilt = {"slot": 1, "attempt": 1, "token": "t", "instance_id": "A", "started": 1}
    with scene.server.client() as client:
        client.hset(scene.key("records"), "1", json.dumps({**spoilt, "ended": True}))
        client.zadd(scene.key("order"), {"000001:1": 1})
    asked = replace(claim_of(SPOILT, scene.slot, "a", "A"), keep=1)
    assert isinstance(await scene.link.call(scene.store.claim, asked), Won)
    [kept] = await scene.link.call(scene.store.history, SPOILT, 10)
    assert scene.slot == kept.slot


async def test_lost_record_hinders_no_end(scene: Scene) -> None:
    """A run whose record was deleted can be finished all the same."""
    assert isinstance(await scene.claim(SPOILT), Won)
    with scene.server.client() as client:
        client.delete(scene.key("records"), scene.key("order"))
    finish = scene.store.finish
    answer = await scene.link.call(finish, SPOILT, scene.slot, "a", SUCCESS)
    assert answer.accepted
    assert [] == await scene.link.call(scene.store.history, SPOILT, 10)
