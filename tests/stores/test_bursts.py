"""Calls that wait together: whatever they share, each has the answer to its own."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import anyio
import pytest

from anarchon.backends import backend_from
from anarchon.protocol import Claim, ClaimReply, Early, LeaseStore, Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.stores import KINDS, new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

T = TypeVar("T")

JOBS = 150
TAKEN, AHEAD = range(0, JOBS, 3), range(1, JOBS, 3)
LEASING = {kind.id: kind for kind in KINDS if kind.leases}
HOUR = 3_600_000
TOO_LONG = 1e300
"""Seconds that no column holds."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A store of which much is asked at once; ``slot`` was due a moment ago."""

    link: Link
    slot: int

    @property
    def store(self) -> LeaseStore:
        """The store, which keeps leases."""
        return cast("LeaseStore", self.link.store)

    async def all_at_once(
        self, calls: Iterable[Callable[[], Awaitable[T]]]
    ) -> list[T | Exception]:
        """Make calls at the same time, and return how each ended."""
        ends: dict[int, T | Exception] = {}

        async def make(place: int, call: Callable[[], Awaitable[T]]) -> None:
            try:
                ends[place] = await self.link.call(call)
            except Exception as error:  # noqa: BLE001  it is what is looked at
                ends[place] = error

        async with anyio.create_task_group() as callers:
            for place, call in enumerate(calls):
                callers.start_soon(make, place, call)
        return [ends[place] for place in range(len(ends))]

    async def claimed(self, claims: Iterable[Claim]) -> list[ClaimReply | Exception]:
        """Send claims at the same time, and return their answers."""
        return await self.all_at_once(
            partial(self.store.claim, claim) for claim in claims
        )

    def of(self, by: str, number: int, ahead: int = 0) -> Claim:
        """Return an instance's claim of a job's slot, or of one so far ahead of it."""
        return claim_of(f"job {number}", self.slot + ahead, f"{by}{number}", by)


@pytest.fixture(params=["sqlite", *LEASING])
async def scene(
    fleet: Fleet, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncGenerator[Scene]:
    """Open each store with leases."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/store.db"
    else:
        kind = LEASING[request.param]
        url = kind.url(fleet[kind.server].url, new_namespace())
    [slot] = past_slots(1)
    async with linked(backend_from(url)) as link:
        yield Scene(link, slot)


async def test_each_claim_of_a_burst_has_its_own_answer(scene: Scene) -> None:
    """Won, taken and early come to whom they are meant for, in whatever they came."""
    first = await scene.claimed(scene.of("A", number) for number in TAKEN)
    assert [Won] * len(TAKEN) == [type(reply) for reply in first]

    replies = await scene.claimed(
        scene.of("B", number, ahead=HOUR if number in AHEAD else 0)
        for number in range(JOBS)
    )

    expected = [
        Running if number in TAKEN else Early if number in AHEAD else Won
        for number in range(JOBS)
    ]
    assert expected == [type(reply) for reply in replies]
    runners = {reply.instance_id for reply in replies if isinstance(reply, Running)}
    assert {"A"} == runners


async def test_each_token_of_a_burst_has_its_own_answer(scene: Scene) -> None:
    """Beats, ends and releases of wrong tokens are refused amid those of right ones."""
    await scene.claimed(scene.of("A", number) for number in range(JOBS))
    store, slot = scene.store, scene.slot

    def token(number: int) -> str:
        return f"A{number}" if number in TAKEN else f"B{number}"

    expected = [number in TAKEN for number in range(JOBS)]
    beats = await scene.all_at_once(
        partial(store.heartbeat, f"job {number}", slot, token(number), 30.0)
        for number in range(JOBS)
    )
    assert expected == [getattr(beat, "accepted", beat) for beat in beats]
    ends = await scene.all_at_once(
        partial(store.finish, f"job {number}", slot, token(number), SUCCESS)
        for number in range(JOBS)
    )
    assert expected == [getattr(end, "accepted", end) for end in ends]
    releases = await scene.all_at_once(
        partial(store.release, f"job {number}", slot, f"A{number}")
        for number in range(JOBS)
    )
    assert [not ended for ended in expected] == [
        getattr(release, "accepted", release) for release in releases
    ]


@pytest.mark.parametrize("scene", ["sqlite", "postgresql", "pgbouncer"], indirect=True)
async def test_what_fails_in_a_burst_fails_alone(scene: Scene) -> None:
    """A claim that the store can't hold is an error, and all others are granted."""
    claims = [scene.of("A", number) for number in range(JOBS)]
    bad = claims[JOBS // 2]
    claims[JOBS // 2] = replace(bad, keep_for=TOO_LONG)

    replies = await scene.claimed(claims)

    assert isinstance(replies.pop(JOBS // 2), Exception)
    assert [Won] * (JOBS - 1) == [type(reply) for reply in replies]
    [again] = await scene.claimed([bad])
    assert isinstance(again, Won)
