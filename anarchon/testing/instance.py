"""A simulated machine with one scheduler on it, and all that may befall it.

Decides what a crash, a freeze and a partition are. Must not know the other machines,
nor the scheduler but by its public names.
"""

import anyio
import anyio.lowlevel

from anarchon.jobs import Jobs
from anarchon.scheduler import Scheduler
from anarchon.testing.clocks import VirtualClock
from anarchon.testing.faults import Faults
from anarchon.testing.life import Life, LiveRun, World


class Instance:
    """One machine: ``clock`` and ``faults`` stay, schedulers on it come and go.

    Each of them is started with the ``jobs`` that there are by then.
    """

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.clock: VirtualClock = VirtualClock()
        self.faults: Faults = Faults()
        self.jobs: Jobs = Jobs()
        self._world = world
        self._life: Life | None = None
        self._frozen_since = 0.0

    @property
    def life(self) -> Life:
        """The life of the current scheduler.

        Raises:
            RuntimeError: none was started.
        """
        if self._life is None:
            raise RuntimeError(f"instance {self.name} was never started")
        return self._life

    @property
    def alive(self) -> bool:
        """Whether a scheduler is up here: neither crashed nor stopped."""
        return self._life is not None and self._life.alive

    @property
    def frozen(self) -> bool:
        """Whether nothing moves here."""
        return self._life is not None and self._life.gate.frozen

    @property
    def runs(self) -> list[LiveRun]:
        """The handlers in progress here."""
        return [] if self._life is None else list(self._life.runs)

    @property
    def scheduler(self) -> Scheduler:
        """The current scheduler, by its public API."""
        return self.life.scheduler

    async def start(self) -> None:
        """Start a scheduler; one that is up already is left alone.

        Cancelled, it isn't started.

        Raises:
            BackendUnavailable: the store can't be reached from here.
        """
        await anyio.lowlevel.checkpoint()
        if self.alive:
            return
        self._note("starts")
        self._life = Life(self.name, self.jobs, self.clock, self.faults, self._world)
        await self._world.nursery.start(self._life.live)

    async def stop(self) -> None:
        """Stop the scheduler gracefully; return when it has ended.

        Cancelled, it stops all the same.
        """
        self._note("is told to stop")
        await self.life.stop()
        self._note("has stopped")

    def crash(self) -> None:
        """Kill the scheduler: no stop, no word to the store or to anybody.

        It is cut off first; then its tasks are cancelled, in place of vanishing. What a
        handler does about that cancellation is the one thing that a dead process would
        not have done.
        """
        self._note("crashes")
        self.life.crash()

    async def restart(self) -> None:
        """Crash, if there is something to crash, and start again at once."""
        if self.alive:
            self.crash()
        await self.start()

    def freeze(self) -> None:
        """Let nothing move: no store call returns, and no sleep by this clock."""
        self._note("freezes")
        self._frozen_since = anyio.current_time()
        self.life.freeze()

    def thaw(self, *, suspended: bool = False) -> None:
        """Let everything go on, where it stood.

        If the machine was ``suspended``, its monotonic time has stood still.
        """
        self._note("thaws")
        if suspended:
            self.clock.suspended(anyio.current_time() - self._frozen_since)
        self.life.gate.thaw()

    def partition(self, *, silent: bool = False) -> None:
        """Cut the way to the store: calls fail at once, or hang when ``silent``."""
        self._note("is cut off from the store")
        self.faults.partition(silent=silent)

    def heal(self) -> None:
        """End the partition."""
        self._note("reaches the store again")
        self.faults.heal()

    async def sleep(self, seconds: float) -> None:
        """Sleep by this machine's clock, and as long as it is frozen.

        For handlers, so that they freeze with their instance. Cancelled, it has no
        effect.
        """
        await self.life.clock.sleep(seconds)

    def _note(self, what: str) -> None:
        self._world.journal.write(self.name, what)
