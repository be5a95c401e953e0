"""How a scheduler gets from idle to running and back.

Decides the states and who carries them out: a task of the scheduler's own, so that a
caller who is cancelled, or who is a handler, only stops waiting. Must not know jobs.
"""

from collections.abc import Mapping

import anyio
import anyio.lowlevel

from anarchon.bridge import Bridge, BridgeError
from anarchon.bridge.interrupts import spared
from anarchon.connecting import connected
from anarchon.engine.instance import Instance
from anarchon.engine.session import Session
from anarchon.errors import AnarchonError, BackendUnavailable, SchedulerNotRunning
from anarchon.events import Error
from anarchon.jobs import Job
from anarchon.log import logger
from anarchon.model import State
from anarchon.protocol import Backend, ClaimStore

# closing takes at most this long after the runs: the store first, then the bridge
CLOSE_WITHIN = 2.0
CLOSING = 5.0


class Life:
    """One start-to-stop life. ``error`` is why it never ran, if it didn't."""

    def __init__(
        self, instance: Instance, backend: Backend, jobs: Mapping[str, Job]
    ) -> None:
        self.state: State = State.STARTING
        self.error: Exception | None = None
        self.started: anyio.Event = anyio.Event()
        self.ended: anyio.Event = anyio.Event()
        self._instance = instance
        self._backend = backend
        self._jobs = jobs
        self._session: Session | None = None
        # until then a life ends only by being stopped
        self._shield = anyio.CancelScope(shield=True)  # deadline: stop moves it

    @property
    def session(self) -> Session | None:
        """What is going on, once the start has come that far."""
        return self._session

    @spared
    async def run(self) -> None:  # noqa: ASYNC910  a task's body
        """Open the store, schedule until stopped, close the store."""
        try:
            with self._shield:
                await self._open()
        except Exception as error:
            if self.started.is_set():
                raise
            if not self._shield.cancel_called:
                self.error = _why_not(error, self._backend)
        finally:
            if not self.started.is_set() and self.error is None:
                self.error = SchedulerNotRunning("stopped while it was starting")
            if self.started.is_set():
                logger.info("stopped instance_id=%s", self._instance.instance_id)
            self.state = State.IDLE
            self.started.set()
            self.ended.set()

    def stop(self, timeout: float) -> None:
        """Begin to stop; a start under way is cancelled. Again, it can shorten."""
        if self.ended.is_set():
            return
        if self.state is State.STARTING:
            self._shield.cancel()
            return
        self.state = State.STOPPING
        assert self._session is not None
        self._session.stop(timeout)
        limit = anyio.current_time() + timeout + CLOSING
        self._shield.deadline = min(self._shield.deadline, limit)

    async def _open(self) -> None:  # noqa: ASYNC910  as above
        backend, running = self._backend, False
        try:
            async with connected(backend, close_within=CLOSE_WITHIN) as (bridge, store):
                session = await self._begin(bridge, store)
                running = True
                await session.run(self._ready)
                running = False
        except Exception as error:
            # after the session has ended well, only closing the store can have failed
            if running or not self.started.is_set():
                raise
            self._tell_closing(error)
        if self._session is not None:
            await self._session.unwind()

    async def _begin(self, bridge: Bridge, store: ClaimStore) -> Session:
        leases = self._backend.leases
        session = Session(self._instance, bridge, store, self._jobs, leases=leases)
        self._session = session
        await session.open()
        # stopped with the last answer: from here to "running" nothing waits
        await anyio.lowlevel.checkpoint_if_cancelled()
        return session

    def _ready(self) -> None:
        logger.info(
            "started instance_id=%s jobs=%d store=%r",
            self._instance.instance_id,
            len(self._jobs),
            self._backend,
        )
        self.state = State.RUNNING
        self.started.set()

    def _tell_closing(self, error: Exception) -> None:
        text = f"{type(error).__name__}: {error}"
        stamp = self._instance.stamp()
        self._instance.tell(Error(**stamp, operation="close", error=text))


def _why_not(error: Exception, backend: Backend) -> Exception:
    if isinstance(error, AnarchonError) and not isinstance(error, BridgeError):
        return error
    unavailable = BackendUnavailable(
        f"the {backend.name} backend can't be opened: {type(error).__name__}: {error}"
    )
    unavailable.__cause__ = error
    return unavailable
