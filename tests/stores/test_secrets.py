"""Passwords: whatever happens, none is in what anybody could read."""

import logging
import traceback
from collections.abc import Generator

import anyio
import anyio.lowlevel
import pytest

import anarchon
from anarchon.backends import backend_from
from tests.servers.fleet import Fleet
from tests.servers.ports import free_port
from tests.servers.proxy import Proxy
from tests.stores.claims import opened
from tests.stores.passwords import (
    WORD,
    WRONG,
    Passwords,
    Place,
    encoded,
    passwords,
    url_with,
)
from tests.stores.stores import KINDS, Kind, new_namespace

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

CASES = [(kind, Place.USERINFO) for kind in KINDS] + [
    (kind, place)
    for kind in KINDS
    for name, place in (
        ("redis-lease", Place.QUERY),
        ("postgresql", Place.QUERY),
        ("nats", Place.TOKEN),
    )
    if kind.id == name
]
each_case = pytest.mark.parametrize(
    ("kind", "place"), CASES, ids=[f"{kind.id}-{place}" for kind, place in CASES]
)


class Heard:
    """What anybody could read: texts, log records, standard output and error."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def hear(self, *things: object) -> None:
        """Keep how these look to people."""
        self.texts += [text for thing in things for text in (str(thing), repr(thing))]

    def hear_error(self, error: BaseException) -> None:
        """Keep an error with all that led to it."""
        self.hear(error, error.args)
        self.texts += traceback.format_exception(error)


@pytest.fixture
def heard(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> Generator[Heard]:
    """Give what collects all that is said; in the end, no password was."""
    caplog.set_level(logging.DEBUG, logger="anarchon")
    heard = Heard()
    yield heard
    records = caplog.get_records("call")
    heard.texts += [repr(vars(record)) for record in records]
    heard.texts += [caplog.text, *capfd.readouterr()]
    assert [] == [text for text in heard.texts if shows_password(text)]


@pytest.fixture(scope="module")
def servers(fleet: Fleet) -> Generator[Passwords]:
    """Give the servers, each of which has a password."""
    with passwords(fleet) as servers:
        yield servers


def shows_password(text: str) -> bool:
    """Tell whether a text has a part of a password in it, encoded or not."""
    return any(part in text for part in (WORD, encoded(WORD), encoded(WORD).lower()))


@each_case
async def test_right_one_opens_the_store(
    servers: Passwords, kind: Kind, place: Place, heard: Heard
) -> None:
    """Percent-encoded or not, it is what the server asks for; no repr has it."""
    server, password = servers.server(kind.server, place)
    url = kind.url(url_with(server.url, place, password), new_namespace())
    heard.hear(backend_from(url))
    async with opened(url, "job") as link:
        heard.hear(link.store)
        assert [] == await link.call(link.store.history, "job", 1)


@each_case
async def test_wrong_one_is_refused(
    servers: Passwords, kind: Kind, place: Place, heard: Heard
) -> None:
    """Neither it nor the right one is in the error that says so."""
    server, _ = servers.server(kind.server, place)
    url = kind.url(url_with(server.url, place, WRONG), new_namespace())
    await cannot_open(url, heard)


@each_case
async def test_server_is_not_there(
    servers: Passwords, kind: Kind, place: Place, heard: Heard
) -> None:
    """The error says where it should be, and not what it would have been told."""
    server, password = servers.server(kind.server, place)
    port = free_port()
    url = url_with(server.url_at(port), place, password)
    await cannot_open(kind.url(url, new_namespace()), heard, str(port))


@each_case
async def test_server_goes_away(
    servers: Passwords, kind: Kind, place: Place, heard: Heard
) -> None:
    """What a running scheduler says of it has no password in it."""
    server, password = servers.server(kind.server, place)
    errors: list[object] = []
    with Proxy(server.port) as proxy:
        url = url_with(server.url_at(proxy.port), place, password)
        async with anarchon.open_scheduler(
            kind.url(url, new_namespace()), stop_timeout=1
        ) as scheduler:
            heard.hear(scheduler, scheduler.jobs)
            scheduler.on("error", errors.append)
            scheduler.every("job", 0.2, work, jitter=0)
            with anyio.fail_after(10):
                while await scheduler.last_run("job") is None:
                    await anyio.sleep(0.02)
                proxy.refuse()
                while len(errors) < 2:
                    await anyio.sleep(0.02)
    heard.hear(*errors)


async def work() -> None:
    """Do nothing."""
    await anyio.lowlevel.checkpoint()


async def cannot_open(url: str, heard: Heard, *told: str) -> None:
    """Hold that this store can't be opened, with an error that tells these."""
    heard.hear(backend_from(url))
    with pytest.raises(anarchon.BackendUnavailable) as caught:
        async with opened(url):
            pass
    heard.hear_error(caught.value)
    for text in told:
        assert text in str(caught.value)
