"""One kind of step, carried out for many jobs in one round trip.

Decides how requests that come together are asked for together. Must not know what the
step does.

They share a transaction, and so the one time that the log is written to disk. Each step
locks its job until the end of that; they go in the order of the jobs' names, so that of
two instances that want the same jobs one waits, and neither for ever. If one of them
fails in the server, all are undone, and each is asked for alone.

One round trip of a kind is under way at a time. Of two, each would carry half as many,
and where instances want the same jobs, they would mostly wait for each other's locks.
"""

from collections.abc import Callable, Sequence
from typing import cast

from anarchon.backends.convoy import Convoy
from anarchon.backends.postgres.driver import UNHEARD
from anarchon.backends.postgres.lane import Lane
from anarchon.backends.postgres.sql import Row, Schema, Step, Value

TOGETHER = 32


class Stepping:
    """Asks for ``step`` over a lane. The first field of each request is its job.

    ``given`` reads a test's clock; it returns ``None`` for the server's own.
    """

    def __init__(
        self, lane: Lane, schema: Schema, step: Step, given: Callable[[], int | None]
    ) -> None:
        self._lane = lane
        self._schema = schema
        self._step = step
        self._given = given
        self._convoy: Convoy[Row, object] = Convoy(self._send, width=1, most=TOGETHER)

    async def ask(self, *request: Value) -> object:
        """Return the answer of one step; cancelled, it is done or not."""
        return await self._convoy.ask(request)

    async def _send(self, requests: Sequence[Row]) -> Sequence[object]:
        if len(requests) == 1:
            return [await self._alone(requests[0])]
        try:
            return await self._together(requests)
        except UNHEARD:
            raise
        except Exception:  # noqa: BLE001  whichever of them it is about
            return [  # noqa: ASYNC910  there is one at least
                await self._tried(request) for request in requests
            ]

    async def _together(self, requests: Sequence[Row]) -> Sequence[object]:
        order = sorted(range(len(requests)), key=lambda place: str(requests[place][0]))
        ordered = [requests[place] for place in order]
        query = self._schema.each(self._step, ordered, self._given())
        answers = cast("list[object]", await self._lane.ask(query))
        answered = dict(zip(order, answers, strict=True))
        return [answered[place] for place in range(len(requests))]

    async def _tried(self, request: Row) -> object:
        try:
            return await self._alone(request)
        except UNHEARD:
            raise
        except Exception as error:  # noqa: BLE001  it is that request's alone
            return error  # noqa: ASYNC910  it was tried

    async def _alone(self, request: Row) -> object:
        return await self._lane.ask(
            self._schema.one(self._step, request, self._given())
        )
