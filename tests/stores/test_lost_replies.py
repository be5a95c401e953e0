"""The server has acted and its reply is lost: asked again, it says what it said."""

from dataclasses import replace

import pytest

from anarchon.model import End, Reason, Status
from anarchon.protocol import Claim, Running, Won
from tests.servers.fleet import Fleet
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.cutting import JOB, Cutting, cutting
from tests.stores.stores import KINDS, Kind, each_kind

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

TIMES = 20
FAILED = End(status=Status.FAILED, duration=0.5, error="not so")

each_lease_kind = pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.leases], ids=lambda kind: kind.id
)


@each_kind
async def test_claim_is_known_as_won(fleet: Fleet, kind: Kind) -> None:
    """The claim whose reply was lost has won, and the rival doesn't (L1, L2)."""
    async with cutting(kind, fleet[kind.server]) as both:
        slots = past_slots(TIMES)
        for slot in slots:
            claim = mine(slot)
            await both.lose(claim.token, both.store.claim, claim)
            taken = await both.straight(both.rival.claim, theirs(slot))
            won = await both.again(both.store.claim, claim)

            assert isinstance(taken, Running)
            assert (1, "A") == (taken.attempt, taken.instance_id)
            assert isinstance(won, Won)
            assert 1 == won.attempt
        records = await both.straight(both.rival.history, JOB, TIMES)
    assert [(slot, "A") for slot in reversed(slots)] == [
        (record.slot, record.instance_id) for record in records
    ]


@each_kind
async def test_finish_is_known_as_stored(fleet: Fleet, kind: Kind) -> None:
    """The end whose reply was lost stands; no other one takes its place (L2, L7)."""
    async with cutting(kind, fleet[kind.server]) as both:
        slots = past_slots(TIMES)
        for slot in slots:
            token = await won_by_me(both, slot)
            await both.lose(token, both.store.finish, JOB, slot, token, SUCCESS)
            [stored] = await both.straight(both.rival.history, JOB, 1)
            ended = await both.again(both.store.finish, JOB, slot, token, SUCCESS)
            other = await both.again(both.store.finish, JOB, slot, token, FAILED)
            refused = await both.straight(both.rival.claim, theirs(slot))

            if kind.one_step:
                assert (slot, Status.SUCCESS) == (stored.slot, stored.status)
            assert (True, False) == (ended.accepted, other.accepted)
            assert not isinstance(refused, Won)
        records = await both.straight(both.rival.history, JOB, TIMES)
    assert [(slot, Status.SUCCESS) for slot in reversed(slots)] == [
        (record.slot, record.status) for record in records
    ]


@each_lease_kind
async def test_heartbeat_is_known_as_accepted(fleet: Fleet, kind: Kind) -> None:
    """The lease was pushed forward, and is again; nobody takes it over (L7)."""
    async with cutting(kind, fleet[kind.server]) as both:
        for slot in past_slots(TIMES):
            token = await won_by_me(both, slot)
            beat = both.store.heartbeat
            await both.lose(token, beat, JOB, slot, token, 600.0)
            unfinished = await both.straight(both.rival.unfinished, [JOB])
            answer = await both.again(beat, JOB, slot, token, 600.0)
            refused = await both.straight(both.rival.claim, takeover(slot))

            assert 590.0 < {run.slot: run.left for run in unfinished.runs}[slot]
            assert answer.accepted
            assert isinstance(refused, Running)


@each_lease_kind
async def test_release_is_known_as_accepted(fleet: Fleet, kind: Kind) -> None:
    """The run was handed over and can be taken; its token is spent (L8)."""
    async with cutting(kind, fleet[kind.server]) as both:
        for slot in past_slots(TIMES):
            token = await won_by_me(both, slot)
            release = both.store.release
            await both.lose(token, release, JOB, slot, token)
            unfinished = await both.straight(both.rival.unfinished, [JOB])
            answer = await both.again(release, JOB, slot, token)
            taken = await both.straight(both.rival.claim, takeover(slot))
            late = await both.again(both.store.claim, mine(slot))

            assert 0.0 >= {run.slot: run.left for run in unfinished.runs}[slot]
            assert answer.accepted
            assert isinstance(taken, Won)
            assert 2 == taken.attempt
            assert isinstance(late, Running)


def mine(slot: int) -> Claim:
    """Return the claim of the instance behind the proxy."""
    return claim_of(JOB, slot, f"token-a-{slot}", "A")


def theirs(slot: int) -> Claim:
    """Return the claim of a rival."""
    return claim_of(JOB, slot, f"token-b-{slot}", "B")


def takeover(slot: int) -> Claim:
    """Return the claim of a backup, which wants the second attempt."""
    return replace(theirs(slot), attempt=2, mode=Reason.TAKEOVER)


async def won_by_me(both: Cutting, slot: int) -> str:
    """Win a slot from behind the proxy; return the token."""
    assert isinstance(await both.again(both.store.claim, mine(slot)), Won)
    return mine(slot).token
