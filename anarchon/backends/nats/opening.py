"""Opening and closing a NATS store.

Decides what is looked at before a store counts as open.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from anarchon.backends.address import reaching
from anarchon.backends.clients import check_home
from anarchon.backends.nats.connection import Connection
from anarchon.backends.nats.jetstream import JetStream
from anarchon.backends.nats.server_time import ServerTime
from anarchon.backends.nats.store import NatsStore
from anarchon.backends.nats.streams import check_version, set_up
from anarchon.backends.nats.subjects import Subjects
from anarchon.backends.nats.timing import GivenTime, Time, TimeReader

if TYPE_CHECKING:
    from anarchon.backends.nats import NatsBackend


@asynccontextmanager
async def open_store(backend: "NatsBackend") -> AsyncGenerator[NatsStore]:
    """Connect, set the streams up, yield the store, and close what was made for it.

    Cancelled while opening, the streams may have been created.

    Raises:
        BackendUnavailable: no server can be used, or a stream isn't as it must be.
        BackendTooOld: the server lacks what makes a claim.
    """
    if not backend.source.owned:
        check_home("NatsBackend", backend.bridge)
    subjects = Subjects(backend.namespace)
    connection = Connection(backend.source)
    jetstream = JetStream(connection)
    try:
        with reaching(str(backend.source)):
            check_version(await connection.version())
            await set_up(jetstream, subjects, backend.remembers, backend.replicas)
            time = _time(backend, jetstream, connection, subjects)
            await time.now()
        yield NatsStore(jetstream, subjects, time, backend.remembers)
    finally:
        await connection.close()  # noqa: ASYNC102  bounded


def _time(
    backend: "NatsBackend",
    jetstream: JetStream,
    connection: Connection,
    subjects: Subjects,
) -> Time:
    if backend.clock is not None:
        return GivenTime(backend.clock)
    return ServerTime(TimeReader(jetstream, subjects), lambda: connection.identity)
