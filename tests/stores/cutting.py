"""A store reached twice: straight, and on a way that loses the reply to one request.

Decides how a reply is lost and how the request is sent again. Must not know what the
requests mean.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple, cast

import anyio

from anarchon.testing.conformance.probe import Link
from tests.servers.proxy import Proxy
from tests.servers.server import Server
from tests.stores.claims import SUCCESS, claim_of, opened, past_slots
from tests.stores.stores import Kind, new_namespace

if TYPE_CHECKING:
    from anarchon.protocol import LeaseStore

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

JOB = "cut off"
PATIENCE, PAUSE = 10.0, 0.02
TWICE = 2


class Cutting:
    """``store`` is behind the proxy; ``straight`` is the same, as a rival has it.

    ``lost`` counts the replies that were cut off, ``unknown`` the calls that ended
    without an answer.
    """

    def __init__(self, proxy: Proxy, cut: Link, straight: Link) -> None:
        # the tests of leases ask for more than a claim-only store can, no others
        self.store = cast("LeaseStore", cut.store)
        self.rival = cast("LeaseStore", straight.store)
        self.straight = straight.call
        self.lost = self.unknown = 0
        self._proxy = proxy
        self._cut = cut

    async def lose(
        self, token: str, call: Callable[[*Ts], Awaitable[object]], *args: *Ts
    ) -> None:
        """Send a request with this token; the server acts, and its reply is lost.

        So is the reply to the next one, which the store itself may send at once.
        """
        self.lost += TWICE
        self._proxy.cut_next_reply(token.encode(), TWICE)
        try:
            await self._cut.call(call, *args)
        except Exception:  # noqa: BLE001  any failure means "unknown"
            self.unknown += 1

    async def again(self, call: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """Send a request until it is answered."""
        with anyio.fail_after(PATIENCE):
            while True:
                try:
                    return await self._cut.call(call, *args)
                except Exception:  # noqa: BLE001  any failure means "unknown"
                    await anyio.sleep(PAUSE)


@asynccontextmanager
async def cutting(kind: Kind, server: Server) -> AsyncGenerator[Cutting]:
    """Open the store both ways; in the end, replies were lost as often as meant."""
    namespace = new_namespace()
    with Proxy(server.port) as proxy:
        through = kind.url(server.url_at(proxy.port), namespace)
        direct = kind.url(server.url, namespace)
        async with opened(through, JOB) as cut, opened(direct, JOB) as straight:
            both = Cutting(proxy, cut, straight)
            await _warm_up(both, kind.leases)
            connections = proxy.connections
            yield both
            # whoever lost a reply lost the connection, too
            assert proxy.connections - connections >= both.lost
            assert TWICE * both.unknown == both.lost
    print(f"{kind.id}: {both.lost} replies lost, {both.unknown} without an answer")


async def _warm_up(both: Cutting, leases: bool) -> None:
    """Send each request once, so that the first reply that is lost is a real one.

    A server that doesn't know a script yet says only that.
    """
    slot = past_slots(1_000)[0]
    claim = claim_of(JOB, slot, "warm", "W")
    await both.again(both.store.claim, claim)
    if leases:
        await both.again(both.store.heartbeat, JOB, slot, claim.token, 60.0)
    await both.again(both.store.finish, JOB, slot, claim.token, SUCCESS)
    if leases:
        await both.again(both.store.release, JOB, slot, claim.token)
