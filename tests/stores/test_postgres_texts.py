"""What a PostgreSQL store holds: texts that aren't taken for SQL, and foreign data."""

from dataclasses import replace
from typing import cast

import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.records import Unreadable
from anarchon.model import End, Status
from anarchon.protocol import Done, LeaseStore, Won
from anarchon.testing.conformance import ManualClock
from anarchon.testing.conformance.probe import Link, linked
from tests.servers.fleet import Fleet
from tests.servers.postgres import Postgres
from tests.stores.claims import SUCCESS, claim_of, past_slots
from tests.stores.stores import new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.servers]

TEXTS = [
    "it's",
    "'; DROP TABLE jobs; --",
    "back\\slash \\' \\\\ \\u0041 \\U00000041",
    "$1 $2 ${x} {schema} {query} %s",
    "line\nand\r\n\ttab\b\x01\x7f",
    '{"is": "json"} "quoted"',
    "caf\u00e9 \N{PILE OF POO}\N{SNOWMAN} \u202e",
    "",
]

ESCAPED = {"NUL \0!": "NUL \\x00!", "lone \ud800!": "lone \\ud800!"}


@pytest.mark.parametrize("name", ["postgres18", "postgres15", "pgbouncer"])
async def test_texts_are_read_as_they_were_written(fleet: Fleet, name: str) -> None:
    """By a prepared statement or in plain, an error's text comes back whole.

    What the server can't hold is escaped, and known again when it is repeated.
    """
    expected = {**{text: text for text in TEXTS}, **ESCAPED}
    backend = PostgresBackend(fleet[name].url, namespace=new_namespace())
    async with linked(backend) as link:
        store = link.store
        slots = past_slots(len(expected))
        for slot, told in zip(slots, expected, strict=True):
            claim = claim_of("job", slot, f"t{slot}", "it's")
            assert isinstance(await link.call(store.claim, claim), Won)
            end = End(status=Status.FAILED, duration=1e-05, error=told)
            for _ in range(2):
                answer = await link.call(store.finish, "job", slot, f"t{slot}", end)
                assert answer.accepted
        records = await link.call(store.history, "job", 100)
    read = [(record.error, record.instance_id, record.duration) for record in records]
    assert [(text, "it's", 1e-05) for text in reversed(expected.values())] == read


async def test_foreign_data_is_named(fleet: Fleet) -> None:
    """A record that can't be read is said to be one, and harms no other job."""
    server, name = fleet["postgres18"], new_namespace()
    assert isinstance(server, Postgres)
    [slot] = past_slots(1)
    async with linked(PostgresBackend(server.url, namespace=name)) as link:
        for job in ("sick", "well"):
            claim = claim_of(job, slot, job, "A")
            assert isinstance(await link.call(link.store.claim, claim), Won)
        server.ask(f"""UPDATE "{name}".records SET started = 1e18 WHERE job = 'sick'""")
        with pytest.raises(Unreadable, match=f"attempt 1 of run {slot} of job 'sick'"):
            await link.call(link.store.history, "sick", 10)
        assert 1 == len(await link.call(link.store.history, "well", 10))


async def test_senseless_lease_harms_no_other_job(fleet: Fleet) -> None:
    """The unfinished runs of all jobs are read, whatever a hand has written to one."""
    server, name = fleet["postgres18"], new_namespace()
    assert isinstance(server, Postgres)
    [slot] = past_slots(1)
    async with linked(PostgresBackend(server.url, namespace=name)) as link:
        for job in ("sick", "well"):
            claim = claim_of(job, slot, job, "A")
            assert isinstance(await link.call(link.store.claim, claim), Won)
        server.ask(
            f"""UPDATE "{name}".runs SET until = -9223372036854775808
            WHERE job = 'sick'"""
        )
        store = cast("LeaseStore", link.store)
        unfinished = await link.call(store.unfinished, ["sick", "well"])
    assert ["sick", "well"] == [run.job for run in unfinished.runs]


async def test_newest_slot_far_ahead_can_be_reset(fleet: Fleet) -> None:
    """L9: two statements let a job run again that was granted slots of next year."""
    server, name = fleet["postgres18"], new_namespace()
    assert isinstance(server, Postgres)
    *before, last = past_slots(4)
    async with linked(PostgresBackend(server.url, namespace=name)) as link:
        for slot in before:
            await run(link, slot, keep=10)
        server.ask(f'UPDATE "{name}".runs SET slot = slot + 31536000000')
        claim = claim_of("job", last, "last", "A")
        refused = await link.call(link.store.claim, claim)
        assert isinstance(refused, Done)
        assert before[-1] + 31_536_000_000 == refused.newest
        newest = f"""(SELECT max(slot) FROM "{name}".runs WHERE job = 'job')"""
        server.ask(
            f"""DELETE FROM "{name}".runs WHERE job = 'job' AND ended """
            f"AND slot < {newest}"
        )
        server.ask(
            f'UPDATE "{name}".runs SET slot = {before[-1]} '
            f"WHERE job = 'job' AND slot = {newest}"
        )
        assert isinstance(await link.call(link.store.claim, claim), Won)


async def test_finish_is_repeated_after_the_clock_was_set_back(fleet: Fleet) -> None:
    """T10: a record that was dropped by no claim is found, however old it looks."""
    clock = ManualClock()
    server, first = fleet["postgres18"], clock.ms - 1_000
    backend = PostgresBackend(server.url, namespace=new_namespace(), clock=clock)
    async with linked(backend) as link:
        claim = claim_of("job", first, "long", "A")
        assert isinstance(await link.call(link.store.claim, claim), Won)
        clock.move(10)
        await run(link, first + 1_000, keep=1)
        clock.move(-3_600)
        for _ in range(2):
            finish = link.store.finish
            answer = await link.call(finish, "job", first, "long", SUCCESS)
            assert answer.accepted


async def test_dropped_rows_are_few_claims_late(fleet: Fleet) -> None:
    """L10: rows that nobody can read any more are dropped at every 16th grant."""
    server, name = fleet["postgres18"], new_namespace()
    assert isinstance(server, Postgres)
    async with linked(PostgresBackend(server.url, namespace=name)) as link:
        for slot in past_slots(40):
            await run(link, slot, keep=3)
            assert len(await link.call(link.store.history, "job", 100)) <= 4
            for table in ("runs", "records"):
                rows = server.ask(f'SELECT count(*) FROM "{name}".{table}')
                assert int(rows) <= 3 + 16


async def run(link: Link, slot: int, keep: int) -> None:
    """Claim a slot and end its run."""
    claim = replace(claim_of("job", slot, str(slot), "A"), keep=keep, keep_for=0.0)
    assert isinstance(await link.call(link.store.claim, claim), Won)
    answer = await link.call(link.store.finish, "job", slot, str(slot), SUCCESS)
    assert answer.accepted
