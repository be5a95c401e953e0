"""What a PostgreSQL store holds: texts that aren't taken for SQL, and foreign data."""

import pytest

from anarchon.backends.postgres import PostgresBackend
from anarchon.backends.records import Unreadable
from anarchon.model import End, Status
from anarchon.protocol import Done, Won
from anarchon.testing.conformance.probe import linked
from tests.servers.fleet import Fleet
from tests.servers.postgres import Postgres
from tests.stores.claims import claim_of, past_slots
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


async def test_newest_slot_far_ahead_can_be_reset(fleet: Fleet) -> None:
    """L9: one statement lets a job run again that was granted a slot of next year."""
    server, name = fleet["postgres18"], new_namespace()
    assert isinstance(server, Postgres)
    first, second = past_slots(2)
    async with linked(PostgresBackend(server.url, namespace=name)) as link:
        claim = claim_of("job", first, "first", "A")
        assert isinstance(await link.call(link.store.claim, claim), Won)
        server.ask(f'UPDATE "{name}".runs SET slot = slot + 31536000000')
        claim = claim_of("job", second, "second", "A")
        refused = await link.call(link.store.claim, claim)
        assert isinstance(refused, Done)
        assert first + 31_536_000_000 == refused.newest
        server.ask(
            f'UPDATE "{name}".runs SET slot = {first} '
            f"WHERE job = 'job' AND slot = {refused.newest}"
        )
        assert isinstance(await link.call(link.store.claim, claim), Won)
