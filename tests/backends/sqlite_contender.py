"""One of several processes that open the same SQLite file and claim slots in it.

Run with the file, a name and a loop. Waits for a line; prints what it saw as JSON.
"""

import json
import sys
import time

import anyio

from anarchon.backends.sqlite import SqliteBackend
from anarchon.model import End, Overlap, Reason, Status
from anarchon.protocol import Claim, LeaseStore, Won
from anarchon.testing.conformance.probe import Link, linked

SLOTS = 100
SUCCESS = End(status=Status.SUCCESS, duration=0.0)


async def contend(path: str, me: str) -> None:
    """Open the file; claim shared slots, and then as many of one's own."""
    async with linked(SqliteBackend(path)) as link:
        shared = [await run(link, "shared", slot, me) for slot in range(SLOTS)]
        own = [await run(link, me, slot, me) for slot in range(SLOTS)]
    report = {
        "won": [slot for slot, (won, _) in enumerate(shared) if won],
        "own": sum(won for won, _ in own),
        "longest": max(seconds for _, seconds in shared + own),
    }
    print(json.dumps(report))


async def run(link: Link, job: str, slot: int, me: str) -> tuple[bool, float]:
    """Claim a slot and finish it if it was won; tell how long the claim took."""
    store: LeaseStore = link.store  # type: ignore[assignment]
    claim = Claim(
        job=job,
        slot=slot,
        token=f"{me} {slot}",
        attempt=1,
        instance_id=me,
        mode=Reason.SCHEDULED,
        lease=30.0,
        overlap=Overlap.ALLOW,
        max_attempts=3,
        limit=1e10,
        startable=1e10,
        keep=10 * SLOTS,
        keep_for=60.0,
    )
    began = time.perf_counter()
    won = isinstance(await link.call(store.claim, claim), Won)
    seconds = time.perf_counter() - began
    if won:
        await link.call(store.finish, job, slot, claim.token, SUCCESS)
    return won, seconds


if __name__ == "__main__":
    path, me, loop = sys.argv[1:]
    print("ready", flush=True)
    sys.stdin.readline()
    anyio.run(contend, path, me, backend=loop)
