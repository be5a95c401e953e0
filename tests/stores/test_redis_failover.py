"""A replica becomes the master: with the claims that were made, or without the last.

With them nothing changes. Without them a slot may be granted again; then the store acts
on the second grant alone, and whoever has the first finds out at its next heartbeat.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from redis.asyncio import Redis

from anarchon.backends.redis import RedisBackend
from anarchon.model import Reason, RunRecord, Status
from anarchon.protocol import Claim, LeaseStore, Running, Won
from anarchon.testing.conformance.probe import Link, linked
from tests.processes.cluster import Cluster
from tests.processes.journal import Phase
from tests.processes.scenes import at_work, outline, started, told_of
from tests.processes.setup import Handler
from tests.stores.claims import SUCCESS, claim_of, opened, past_slots
from tests.stores.failover import Pair, replicated_pair
from tests.stores.outages import SLACK, SOON, check_quiet, check_stops
from tests.stores.stores import KINDS, Kind, new_namespace

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

STRATEGIES = [kind for kind in KINDS if kind.server == "redis8"]
[LEASE_KIND] = [kind for kind in STRATEGIES if kind.leases]
LEASE, HEARTBEAT = 6.0, 1.0
JOB = "sync"

each_strategy = pytest.mark.parametrize("kind", STRATEGIES, ids=lambda kind: kind.id)


@pytest.fixture(scope="module")
def pairs() -> Generator[list[Pair]]:
    """Give a pair to those that only promote its replica, and put it back."""
    with replicated_pair() as pair:
        yield [pair]


@pytest.fixture
def pair(pairs: list[Pair]) -> Generator[Pair]:
    """Give a pair whose replica follows its master."""
    [pair] = pairs
    pair.until_linked()
    yield pair
    pair.follow_again()


# --- the store's view -----------------------------------------------------------------


@pytest.mark.anyio
@each_strategy
async def test_a_replicated_claim_outlives_its_master(kind: Kind, pair: Pair) -> None:
    """The promoted replica grants its slot to nobody else, and takes its result."""
    namespace = new_namespace()
    [slot] = past_slots(1)
    first, rival = two_claims(slot)
    async with opened(kind.url(pair.master.url, namespace), JOB) as master:
        assert isinstance(await master.call(master.store.claim, first), Won)
    pair.replicate()
    pair.promote()
    async with opened(kind.url(pair.replica.url, namespace), JOB) as promoted:
        refused = await promoted.call(promoted.store.claim, rival)
        assert isinstance(refused, Running)
        assert "A" == refused.instance_id
        assert isinstance(await promoted.call(promoted.store.claim, first), Won)
        assert await finish(promoted, slot, first.token)
        assert [("A", Status.SUCCESS)] == await told(promoted)


@pytest.mark.anyio
@each_strategy
async def test_a_claim_that_is_lost_can_be_won_again(kind: Kind, pair: Pair) -> None:
    """The promoted master acts on the claim that it knows, and refuses the first."""
    namespace = new_namespace()
    [slot] = past_slots(1)
    first, rival = two_claims(slot)
    pair.replicate()
    pair.promote()
    async with (
        opened(kind.url(pair.master.url, namespace), JOB) as master,
        opened(kind.url(pair.replica.url, namespace), JOB) as promoted,
    ):
        won = await master.call(master.store.claim, first)
        again = await promoted.call(promoted.store.claim, rival)
        assert isinstance(won, Won)
        assert isinstance(again, Won)
        assert 1 == won.attempt == again.attempt
        if kind.leases:
            heartbeat = cast("LeaseStore", promoted.store).heartbeat
            beat = await promoted.call(heartbeat, JOB, slot, first.token, LEASE)
            assert not beat.accepted
        assert not await finish(promoted, slot, first.token)
        assert await finish(promoted, slot, rival.token)
        assert [("B", Status.SUCCESS)] == await told(promoted)


@pytest.mark.anyio
@pytest.mark.parametrize("by_client", [False, True], ids=["url", "client"])
async def test_a_demoted_master_is_left(by_client: bool) -> None:
    """A connection to what was the master is given up for one to what is it now."""
    first, second = past_slots(2)
    with replicated_pair() as pair:
        url = pair.url
        source = (lambda: Redis.from_url(url)) if by_client else url
        backend = RedisBackend(source, namespace=new_namespace())
        async with linked(backend) as link:
            before = claim_of(JOB, first, "a", "A")
            assert isinstance(await link.call(link.store.claim, before), Won)
            pair.replicate()
            pair.switch_over()
            after = claim_of(JOB, second, "b", "A")
            assert isinstance(await link.call(link.store.claim, after), Won)
            records = await link.call(link.store.history, JOB, 2)
    assert [second, first] == [record.slot for record in records]


def two_claims(slot: int) -> tuple[Claim, Claim]:
    """Return the claims of two instances for the same first attempt."""
    return claim_of(JOB, slot, "a" * 32, "A"), claim_of(JOB, slot, "b" * 32, "B")


async def finish(link: Link, slot: int, token: str) -> bool:
    """Finish an attempt; return whether that was accepted."""
    answer = await link.call(link.store.finish, JOB, slot, token, SUCCESS)
    return answer.accepted


async def told(link: Link) -> list[tuple[str, Status]]:
    """Return whose attempts the history has, and how each ended."""
    records: list[RunRecord] = await link.call(link.store.history, JOB, 10)
    return [(record.instance_id, record.status) for record in records]


# --- the instances' view --------------------------------------------------------------


@contextmanager
def cluster_of(pair: Pair, folder: Path) -> Generator[Cluster]:
    """Let A and B begin with one job, soon, and load C as well."""
    store = LEASE_KIND.url(pair.url, new_namespace())
    with Cluster(
        folder, ("trio", "asyncio"), store, lease=LEASE, heartbeat=HEARTBEAT, jitter=0
    ) as cluster:
        cluster.soon = SOON
        cluster.load("ABC")
        cluster.once(JOB, Handler(takes=6.0))
        cluster.begin("AB")
        yield cluster
        check_stops(cluster, "ABC")
        check_quiet(cluster)


def test_a_run_goes_on_under_the_promoted_master(tmp_path: Path) -> None:
    """Its heartbeats are accepted there, and nobody begins it again."""
    with replicated_pair() as pair, cluster_of(pair, tmp_path) as cluster:
        run = at_work(cluster)
        pair.replicate()
        pair.fail_over()
        cluster.begin("C")
        cluster.until_seen("success")

        assert [(1, Status.SUCCESS, Reason.SCHEDULED, run.who)] == outline(cluster)
        assert [(run.who, 1)] == started(cluster)
        assert [] == cluster.seen("lost")


def test_a_run_whose_claim_is_lost_is_cut_off(tmp_path: Path) -> None:
    """Another instance may begin it too; the first is refused at its next heartbeat."""
    with replicated_pair() as pair, cluster_of(pair, tmp_path) as cluster:
        pair.replicate()
        pair.promote()
        run = at_work(cluster)
        pair.fail_over()
        moved = time.time()
        cluster.begin("C")
        lost = cluster.until_seen("lost")
        cluster.until_seen("success", "C")

        assert (run.who, "refused") == (lost.who, lost.cause)
        assert lost.at - moved <= 2 * HEARTBEAT + SLACK
        assert ["start", "lost", "interrupted"] == told_of(cluster, run.who, 1)
        assert [(run.who, 1), ("C", 1)] == started(cluster)
        assert [(1, Status.SUCCESS, Reason.CATCH_UP, "C")] == outline(cluster)
        written = [line for line in cluster.journal.read() if line.who == run.who]
        assert Phase.CANCELLED is written[-1].phase
    print(f"refused {lost.at - moved:.2f} s after the address had moved")
