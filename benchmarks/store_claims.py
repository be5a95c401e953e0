"""What a claim costs on each server, beside the least that the server can be asked for.

Each round measures the floor, the claim as the store's own call, and the claim as a
scheduler makes it, over the bridge, on asyncio and on Trio; by one caller, and by 32 at
once. They take turns in one run. The claims are of jobs in use, whose runs are finished
and whose history gets trimmed. Run it by ``python benchmarks/store_claims.py [KIND]``;
it starts the servers, as the tests do.
"""

import statistics
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[1]))

from anarchon.backends import backend_from
from anarchon.bridge import Bridge
from anarchon.connecting import connected
from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim, ClaimStore, Won
from benchmarks import _floors as floors
from tests.servers.fleet import Fleet

ROUNDS = 5
CLAIMS = 200
BATCHES = 25
CALLERS = 32
SUCCESS = End(status=Status.SUCCESS, duration=0.1)

Call = Callable[[int, int], Coroutine[object, object, None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A store under measurement: its server, its URL's options, its floor and goal."""

    server: str
    floor: Callable[[str], AbstractAsyncContextManager[floors.Floor]]
    options: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    goal: float | None = None


# the tests' usual setting writes each call to the disk, which would hide all else
EVERY_SECOND = {"appendfsync": "everysec"}


def redis(strategy: str, *, server: str = "redis8", goal: float | None = None) -> Kind:
    """Return the kind of a strategy of Redis."""
    return Kind(
        server=server,
        floor=floors.evalsha,
        options=f"&strategy={strategy}",
        settings=EVERY_SECOND,
        goal=goal,
    )


KINDS = {
    "redis lease": redis("lease", goal=1.6),
    "redis script": redis("script"),
    "redis stream-id": redis("stream-id"),
    "redis idmp": redis("idmp"),
    "valkey lease": redis("lease", server="valkey9"),
    "postgresql": Kind(server="postgres18", floor=floors.insert, goal=1.5),
    "nats": Kind(server="nats215", floor=floors.publish, goal=1.2),
    "rabbitmq": Kind(server="rabbitmq310", floor=floors.confirm),
}


class Claims:
    """Claims of a few jobs, each a slot newer than the one before."""

    def __init__(self, bridge: Bridge, store: ClaimStore, first: int) -> None:
        self._bridge = bridge
        self._store = store
        self._first = first

    async def direct(self, caller: int, number: int) -> None:
        """Claim as the store's own call."""
        assert isinstance(await self._store.claim(self._claim(caller, number)), Won)

    async def bridged(self, caller: int, number: int) -> None:
        """Claim as a scheduler does."""
        claim = self._claim(caller, number)
        call = self._bridge.call
        reply = await call(self._store.claim, claim, bound=5.0, keep=True)
        assert isinstance(reply, Won), reply

    async def finish(self, caller: int, number: int) -> None:
        """End what was claimed."""
        claim = self._claim(caller, number)
        key = (claim.job, claim.slot, claim.token)
        call = self._bridge.call
        await call(self._store.finish, *key, SUCCESS, bound=5.0, keep=True)

    def _claim(self, caller: int, number: int) -> Claim:
        slot = self._first + number
        return Claim(
            job=f"job{caller}",
            slot=slot,
            token=f"{slot}-{caller}",
            attempt=1,
            instance_id="host:1",
            mode=Reason.SCHEDULED,
            lease=30.0,
            overlap=Overlap.SKIP,
            max_attempts=3,
            limit=1e10,
            startable=1e10,
            keep=100,
            keep_for=0.0,
        )


async def alone(call: Call, after: Call, first: int) -> float:
    """Return the median seconds of a call by one caller."""
    times: list[float] = []
    for number in range(first, first + CLAIMS):
        began = time.perf_counter()
        await call(0, number)
        times.append(time.perf_counter() - began)
        await after(0, number)
    return statistics.median(times)


async def together(call: Call, after: Call, first: int) -> float:
    """Return the seconds of a call by each of many callers, divided among them."""
    spent = 0.0
    for number in range(first, first + BATCHES):
        began = time.perf_counter()
        await at_once(call, number)
        spent += time.perf_counter() - began
        await at_once(after, number)
    return spent / BATCHES / CALLERS


async def at_once(call: Call, number: int) -> None:
    """Let all callers call at the same time."""
    async with anyio.create_task_group() as group:
        for caller in range(CALLERS):
            group.start_soon(call, caller, number)


async def nothing(caller: int, number: int) -> None:
    """Follow a call with nothing."""


async def measure_floor(kind: Kind, url: str, first: int) -> tuple[float, float]:
    """Return what the bare call costs one caller and each of many."""
    async with kind.floor(url) as floor:

        async def call(caller: int, number: int) -> None:
            await floor(number * 100 + caller)

        return (
            await alone(call, nothing, first),
            await together(call, nothing, first + CLAIMS),
        )


async def measure_claims(url: str, first: int, direct: bool) -> tuple[float, float]:
    """Return what a claim costs one caller and each of many."""
    async with connected(backend_from(url)) as (bridge, store):
        claims = Claims(bridge, store, first)
        names = [f"job{caller}" for caller in range(CALLERS)]
        await bridge.call(store.prepare, names)
        await at_once(claims.bridged, 0)
        await at_once(claims.finish, 0)
        call = claims.direct if direct else claims.bridged
        return (
            await alone(call, claims.finish, 1),
            await together(call, claims.finish, CLAIMS + 1),
        )


def one_round(kind: Kind, url: str) -> dict[str, tuple[float, float]]:
    """Return what everything costs, measured once."""
    first = int(time.time() * 1000) - 100_000
    step = CLAIMS + BATCHES + 2
    return {
        "floor": anyio.run(measure_floor, kind, url, 1),
        "claim": anyio.run(measure_claims, url, first, True),
        "on asyncio": anyio.run(measure_claims, url, first + step, False),
        "on trio": anyio.run(
            measure_claims, url, first + 2 * step, False, backend="trio"
        ),
    }


def report(name: str, kind: Kind, rounds: list[dict[str, tuple[float, float]]]) -> None:
    """Print the median of each cost, and of its ratio to the floor of its round."""
    goal = f"goal on asyncio: {kind.goal}" if kind.goal else "no goal"
    print(f"{name} ({kind.server}; {goal})")
    for what in rounds[0]:
        line = f"  {what:10}"
        for callers, title in enumerate(("1 caller", f"{CALLERS} callers")):
            cost = statistics.median(each[what][callers] for each in rounds) * 1e6
            ratios = [each[what][callers] / each["floor"][callers] for each in rounds]
            line += f"  {title} {cost:5.0f} us, {statistics.median(ratios):4.2f} times"
            line += f" ({min(ratios):.2f} to {max(ratios):.2f})"
        print(line, flush=True)


def main() -> None:
    """Measure the kinds that are asked for, or all."""
    with Fleet() as fleet:
        for name in sys.argv[1:] or KINDS:
            kind = KINDS[name]
            with fleet.fresh(kind.server, settings=kind.settings) as server:
                measure(name, kind, server.url)


def measure(name: str, kind: Kind, url: str) -> None:
    """Measure one kind on a server of its own, and print."""
    mark = "&" if "?" in url else "?"
    url = f"{url}{mark}namespace=bench{kind.options}"
    one_round(kind, url)
    report(name, kind, [one_round(kind, url) for _ in range(ROUNDS)])


if __name__ == "__main__":
    main()
