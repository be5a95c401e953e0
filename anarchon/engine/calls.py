"""The one way from the engine to the store.

Decides that every call is bounded, that a failure is an event and a value, and that
every reply tells the store's time. Must not know what an answer means.

``None`` stands for "no answer": the request may or may not have been carried out.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar, TypeVarTuple

import anyio

from anarchon.bridge import Bridge, BridgeError
from anarchon.clock import Clock
from anarchon.engine.reports import Reports
from anarchon.engine.store_time import StoreTime
from anarchon.errors import AnarchonError
from anarchon.model import End, RunRecord
from anarchon.protocol import (
    Answer,
    Claim,
    ClaimReply,
    ClaimStore,
    LeaseStore,
    Reply,
    Unfinished,
)
from anarchon.rules.lease import MAX_CALL, call_bound

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# So many first attempts are asked for at a time; the rest of a burst waits for room. In
# a driver's queue their bounds would pass, and what was waited for be asked all anew.
AT_ONCE = 64


class StoreCalls:
    """The store's operations, bounded; writes are never cut in the middle.

    A host that is cancelled during a write waits for the answer, within the bound, and
    gets it. A read ends at once. Whoever asks for a first attempt takes a place in the
    ``room`` before.
    """

    def __init__(
        self,
        bridge: Bridge,
        store: ClaimStore,
        time: StoreTime,
        clock: Clock,
        reports: Reports,
    ) -> None:
        self._bridge = bridge
        self._store = store
        self._time = time
        self._clock = clock
        self._reports = reports
        self.room: anyio.Semaphore = anyio.Semaphore(
            AT_ONCE, max_value=AT_ONCE, fast_acquire=True
        )
        self.last_error: str = "no call was made"
        self._silent_since: float | None = None

    @property
    def _leases(self) -> LeaseStore:
        # only a lease backend's engine calls what needs this; Backend.leases decides
        return self._store  # type: ignore[return-value]

    async def claim(self, claim: Claim) -> ClaimReply | None:
        """Ask for an attempt."""
        return await self._write("claim", claim, self._store.claim, claim)

    async def heartbeat(self, won: Claim, bound: float) -> Answer | None:
        """Push the lease of a won attempt forward; ``bound`` is in seconds."""
        about = (won.job, won.slot, won.attempt)
        beat, lease = self._leases.heartbeat, won.lease
        return await self._try(
            "heartbeat", about, bound, True, beat, won.job, won.slot, won.token, lease
        )

    async def release(self, won: Claim) -> Answer | None:
        """End the lease at once and spend its token."""
        release = self._leases.release
        return await self._write("release", won, release, won.job, won.slot, won.token)

    async def finish(self, won: Claim, end: End) -> Answer | None:
        """Write how a won attempt ended."""
        finish = self._store.finish
        return await self._write(
            "finish", won, finish, won.job, won.slot, won.token, end
        )

    async def record(
        self, record: RunRecord, token: str, keep: int, bound: float
    ) -> bool:
        """Write the record of a manual run; tell whether that was answered."""
        about = (record.job, record.slot, record.attempt)
        call = _answering(self._store.record)
        done = await self._try("record", about, bound, True, call, record, token, keep)
        return done is not None

    async def prepare(self, jobs: Sequence[str]) -> bool:
        """Create what these jobs need; tell whether that was answered."""
        call = _answering(self._store.prepare)
        return await self._try("prepare", None, MAX_CALL, False, call, jobs) is not None

    async def unfinished(self, jobs: Sequence[str], bound: float) -> Unfinished | None:
        """Read the unfinished runs of these jobs; unreadable keys become events."""
        reply = await self._try(
            "unfinished", None, bound, False, self._leases.unfinished, jobs
        )
        for key, problem in reply.unreadable if reply is not None else ():
            self._reports.error("unfinished", f"{key}: {problem}")
        return reply

    async def ask_time(self) -> bool:
        """Ask the store what time it is, for the estimate; tell whether it answered."""

        async def read() -> Reply:
            return Reply(now=await self._store.time())

        return await self._try("time", None, MAX_CALL, False, read) is not None

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Read a job's newest records; a failure is the caller's, as an exception."""
        return await self._bridge.call(
            self._store.history, job, limit, bound=MAX_CALL, keep=False
        )

    async def _write(
        self,
        operation: str,
        claim: Claim,
        call: Callable[[*Ts], Awaitable[T]],
        *args: *Ts,
    ) -> T | None:
        about = (claim.job, claim.slot, claim.attempt)
        bound = call_bound(claim.lease)
        return await self._try(operation, about, bound, True, call, *args)

    async def _try(
        self,
        operation: str,
        about: tuple[str, int, int] | None,
        bound: float,
        keep: bool,
        call: Callable[[*Ts], Awaitable[T]],
        *args: *Ts,
    ) -> T | None:
        """Make a call, and learn the store's time from a reply; ``None``: no answer."""
        sent = self._time.sent()
        try:
            answer = await self._bridge.call(call, *args, bound=bound, keep=keep)
        except Exception as error:  # noqa: BLE001  any failure means "unknown"
            text = f"{type(error).__name__}: {error}"
            if isinstance(error, TimeoutError):
                text = f"no answer within {bound:g} s"
            self.last_error = f"{operation}: {text}"
            again = self._is_silent(error)
            self._reports.error(operation, text, about, again=again)
            return None  # noqa: ASYNC910  who asks again backs off
        self._is_heard()
        if isinstance(answer, Reply):
            self._time.observe(sent, answer.now)
        return answer

    def _is_silent(self, error: Exception) -> bool:
        """Note what an error means; tell whether the store was silent before."""
        if not _is_silence(error):
            self._is_heard()
            return False
        again = self._silent_since is not None
        if not again:
            self._silent_since = self._clock.monotonic()
        return again

    def _is_heard(self) -> None:
        if self._silent_since is not None:
            self._reports.answers_again(self._clock.monotonic() - self._silent_since)
            self._silent_since = None


def _is_silence(error: Exception) -> bool:
    # what a store says of its data is an answer
    return isinstance(error, BridgeError) or not isinstance(error, AnarchonError)


def _answering(
    call: Callable[[*Ts], Awaitable[T]],
) -> Callable[[*Ts], Awaitable[tuple[T]]]:
    """Wrap what a call returns, so that its ``None`` differs from "no answer"."""

    async def answering(*args: *Ts) -> tuple[T]:
        return (await call(*args),)

    return answering
