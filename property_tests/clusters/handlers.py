"""The handlers of a play: each does its job's conduct, and is written down.

Decides what a conduct is. Must not know what befalls the instances.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf

import anyio

from anarchon import RunContext
from anarchon.testing.cluster import Cluster, Handler
from property_tests.clusters.plans import SHIELD, SHIELDED, Conduct, JobPlan
from property_tests.clusters.tale import Act

Nap = Callable[[float], Awaitable[None]]


def handler(cluster: Cluster, job: JobPlan, acts: list[Act]) -> Handler:
    """Return the handler of a job."""

    async def work(ctx: RunContext) -> None:
        act = Act(ctx=ctx, began=cluster.now)
        acts.append(act)
        # a handler of a scheduler that has crashed stays with that one's clock
        nap = partial(_nap, cluster[ctx.instance_id].life.clock.sleep, act)
        how = "raised"
        try:
            await _conduct(job, ctx, nap)
            how = "returned"
        except anyio.get_cancelled_exc_class():
            how = "cancelled" if act.cancelled < inf else "raised"
            raise
        finally:
            act.end(cluster.now, how)

    return work


async def _nap(sleep: Nap, act: Act, seconds: float) -> None:
    try:
        await sleep(seconds)
    except anyio.get_cancelled_exc_class():
        act.cancelled = min(act.cancelled, anyio.current_time())
        raise


async def _conduct(job: JobPlan, ctx: RunContext, nap: Nap) -> None:
    match job.conduct:
        case Conduct.IGNORES:
            await _stubbornly(job, nap)
        case Conduct.SWALLOWS:
            with suppress(anyio.get_cancelled_exc_class()):
                await nap(job.seconds)
        case Conduct.SHIELDS:
            with ctx.shield(SHIELD):
                await nap(min(job.seconds, SHIELDED))
            await nap(max(job.seconds - SHIELDED, 0))
        case _:
            await nap(job.seconds)
    _fail(job.conduct)


async def _stubbornly(job: JobPlan, nap: Nap) -> None:
    try:
        await nap(job.seconds)
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await nap(job.stubborn)
        raise


def _fail(conduct: Conduct) -> None:
    match conduct:
        case Conduct.RAISES:
            raise ValueError("odd")
        case Conduct.RAISES_GROUP:
            raise ExceptionGroup("odd", [ValueError("odd"), TypeError("odder")])
        case Conduct.CANCELS_ITSELF:
            raise asyncio.CancelledError if _on_asyncio() else ValueError("odd")
        case _:
            pass


def _on_asyncio() -> bool:
    return anyio.get_cancelled_exc_class() is asyncio.CancelledError
