"""What the engine may say to a store, and what a store may answer.

Decides the messages and what each method promises; ``docs/laws.md`` words the laws
(L1 to L10) that are quoted here by number. Must not know any store, nor the engine.

Conventions. A slot and a store's time are integers, milliseconds since 1970 UTC;
durations are seconds. No method takes "now" from its caller: a store reads its own
clock, once, inside the step, and every reply carries that reading as ``now`` (``None``
where the store tells no time). A refusal is a value. An exception means that the
outcome is unknown: the request may have been carried out, so it is asked again with
the same token, which the laws make harmless.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from anarchon.bridge.contract import Bridge
from anarchon.model import End, Overlap, Reason, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The request "I take this attempt of this run".

    ``attempt`` is the attempt that is wanted: 1, or the newest one heard of plus 1. A
    claim can be granted only that one. ``token`` is made anew for each wanted attempt
    and kept through all askings for it. ``mode`` is scheduled, catch-up or takeover.
    ``limit`` is how many seconds after its slot a first attempt may still be granted in
    this mode; ``startable`` how many seconds after its slot anybody could still start
    it. ``keep`` history records stay; none is trimmed within ``keep_for`` seconds of
    its end. Where instances differ in options, the values of the asking claim count.
    """

    job: str
    slot: int
    token: str
    attempt: int
    instance_id: str
    mode: Reason
    lease: float
    overlap: Overlap
    max_attempts: int
    limit: float
    startable: float
    keep: int
    keep_for: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What every reply carries: the store's time when it answered."""

    now: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Won(Reply):
    """The token owns this attempt; its lease has ``left`` seconds.

    Asked again, the same answer comes without any change, with whatever is left of the
    lease (zero or less once it ran out): a repeated claim never prolongs a lease.
    ``taken_from`` is the runner of the attempt before, and ``waited`` the seconds since
    its lease ended, when this step was a takeover. ``ended`` holds the last records of
    runs that this step ended for good.
    """

    attempt: int
    left: float
    taken_from: str | None = None
    waited: float | None = None
    ended: tuple[RunRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Running(Reply):
    """Another token owns ``attempt``; its lease has ``left`` seconds.

    ``left`` is zero or less when the lease ran out but the claim wanted an attempt that
    is not the next one. Claim-only stores answer this for every slot that is taken,
    with ``left`` zero, since they know of no lease.
    """

    attempt: int
    left: float
    instance_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlapping(Reply):
    """An earlier or later run, ``slot``, is alive for ``left`` more seconds."""

    slot: int
    attempt: int
    left: float
    instance_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Late(Reply):
    """By the store's clock it is too long after the slot for a first attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Early(Reply):
    """The slot is still ahead of the store's clock (L4); ``now`` says by how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Reply):
    """Finished, replaced or out of attempts: nothing will be granted for this slot.

    ``superseded`` says that the slot was never granted and a newer one was.
    ``newest`` is the newest slot of the job that was ever granted (``None`` where the
    store can't tell), ``instance_id`` who ran this slot last, where that is known.
    ``ended`` holds the last record of the run if this very step ended it (L9).
    """

    superseded: bool
    newest: int | None = None
    instance_id: str | None = None
    ended: tuple[RunRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRun(Reply):
    """A takeover was asked for a slot that nobody was granted.

    ``could`` says whether anybody could still start it.
    """

    could: bool


ClaimReply = Won | Running | Overlapping | Late | Early | Done | NoRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Reply):
    """Whether a heartbeat, release or finish was accepted under its token (L7).

    ``left`` is what the lease has left, in seconds, after an accepted heartbeat.
    """

    accepted: bool
    left: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedRun:
    """A run without an end; its lease has ``left`` seconds (zero or less: dead)."""

    job: str
    slot: int
    attempt: int
    instance_id: str
    left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished(Reply):
    """The unfinished runs of some jobs, oldest slot first within each job.

    ``unreadable`` names the keys under which foreign or corrupt data was found, each
    with what is wrong; the other jobs are reported all the same.
    """

    runs: tuple[UnfinishedRun, ...]
    unreadable: tuple[tuple[str, str], ...] = ()


class ClaimStore(Protocol):
    """An open store that grants each slot once, and keeps a history.

    Every method is one atomic step in the store and one round trip.
    """

    async def time(self) -> int | None:
        """Return the store's clock, or ``None`` where it tells no time."""
        ...

    async def prepare(self, jobs: Sequence[str]) -> None:
        """Create what these jobs need; harmless when it is there already."""
        ...

    async def claim(self, claim: Claim) -> ClaimReply:
        """Answer a claim by L1 to L6; a claim-only store by L1 and L2.

        A claim-only store answers ``Won``, ``Running``, ``Late``, ``Early`` or
        ``Done``.
        """
        ...

    async def finish(self, job: str, slot: int, token: str, end: End) -> Answer:
        """End the attempt and write its record in one step (L7, L10).

        Sent again with the same end it is accepted again and changes nothing (L2).
        """
        ...

    async def record(self, record: RunRecord, token: str, keep: int) -> None:
        """Add the finished record of a manual run; harmless when sent again.

        ``record.started_at`` and ``ended_at`` are the runner's estimate of store time.
        Manual records beyond the job's newest ``keep`` records are dropped (L10).
        """
        ...

    async def history(self, job: str, limit: int) -> list[RunRecord]:
        """Return the newest ``limit`` records of a job, newest first.

        Sorted by when the attempt was started, then by attempt.
        """
        ...


class LeaseStore(ClaimStore, Protocol):
    """An open store that also keeps leases: backups, takeover, hand-over."""

    async def heartbeat(self, job: str, slot: int, token: str, lease: float) -> Answer:
        """Push the lease's end to the store's now plus ``lease`` seconds (L7).

        Accepted also after the lease ran out, while the token is the current one.
        """
        ...

    async def release(self, job: str, slot: int, token: str) -> Answer:
        """End the lease at once and spend the token (L8); accepted when repeated."""
        ...

    async def unfinished(self, jobs: Sequence[str]) -> Unfinished:
        """Read the unfinished runs of these jobs in one call. Changes nothing."""
        ...


@runtime_checkable
class Backend(Protocol):
    """A description of a store. Nothing connects before ``open``.

    ``name`` is what messages call it. ``leases`` tells a lease backend, whose ``open``
    yields a ``LeaseStore``, from a claim-only one. ``needs_asyncio`` says that the
    store must be opened and called in an asyncio loop; otherwise it runs in the host's
    loop, whichever that is. ``remembers`` is for how many seconds a claim is surely
    remembered, ``None`` for ever. ``bridge`` is the one behind which the client lives
    that the user passed, where both were passed. The repr holds no password.
    """

    @property
    def name(self) -> str:
        """The store's name in messages, such as ``"sqlite"``."""
        ...

    @property
    def leases(self) -> bool:
        """Whether the store keeps leases."""
        ...

    @property
    def needs_asyncio(self) -> bool:
        """Whether the store can be used in an asyncio loop only."""
        ...

    @property
    def remembers(self) -> float | None:
        """For how many seconds a claim is surely remembered; ``None``: for ever."""
        ...

    @property
    def bridge(self) -> Bridge | None:
        """The user's bridge to the user's client; ``None``: one is opened."""
        ...

    def open(self) -> AbstractAsyncContextManager[ClaimStore]:
        """Connect, set up the schema, yield the live store, and close it.

        Raises:
            BackendUnavailable: the store can't be reached or used.
            BackendTooOld: the server lacks what is needed.
        """
        ...
