"""One instance of a play: it comes up, is befallen, and what befell it is written down.

Decides how a trouble is brought about and ended. Must not know what it does.
"""

from collections.abc import Callable
from contextlib import suppress
from math import inf

import anyio
import anyio.lowlevel

from anarchon.errors import BackendUnavailable
from anarchon.events import EVENT_NAMES, Event
from anarchon.testing.faults import FAIL_AFTER, HANG_AFTER, Fault
from anarchon.testing.instance import Instance
from property_tests.clusters.plans import (
    HEARTBEAT,
    LEASE,
    Copies,
    Crash,
    CutOff,
    Deed,
    Freeze,
    LostReplies,
    Slow,
    Stop,
    StoreClock,
    Storm,
    Trouble,
    WrongClock,
)
from property_tests.clusters.tale import EVERYBODY, Life, Spell, Tale

# a start that gets no answer is tried again
PATIENCE = 30.0
RETRY = 1.0
# the longest call, and the longest wait before it is sent again
AFTER_SILENCE = 10.0
STORM = 6.0
# a timer looks at its clock once a minute
AFTER_STEP = 62.0
# and after one of the store's clock each lease may have to run out anew
AFTER_STORE_STEP = AFTER_STEP + LEASE + 3 * HEARTBEAT


class Stage:
    """An instance, the trouble that its way to the store has, and its present life."""

    def __init__(
        self, instance: Instance, tale: Tale, step_store: Callable[[float], None]
    ) -> None:
        self.instance = instance
        self._tale = tale
        self._step_store = step_store
        self._life: Life | None = None
        self._disturbed: list[Trouble] = []
        self._starting = anyio.Lock()

    async def come_up(self) -> None:
        """Start, as an operator would: again, until the store answers."""
        async with self._starting:
            while not self.instance.alive:
                with anyio.move_on_after(PATIENCE), suppress(BackendUnavailable):
                    await self._start()
                await anyio.sleep(RETRY)

    async def _start(self) -> None:
        self.count_calls()
        await self.instance.start()
        # it may have crashed meanwhile
        if self.instance.alive:
            self._life = Life(instance=self.instance.name, began=anyio.current_time())
            self._tale.lives.append(self._life)
            for name in EVENT_NAMES:
                self.instance.scheduler.on(name, _bad_callback)

    def count_calls(self) -> None:
        """Write down whether the last scheduler still called after its end."""
        if self._life is not None and self._life.later is None:
            self._life.later = self._calls()

    async def befall(self, deed: Deed) -> None:
        """Bring a trouble about, and end it when it has lasted."""
        match deed.trouble:
            case Crash():
                self.crash()
                await anyio.sleep(deed.lasts)
                await self.come_up()
            case Stop():
                await self.stop()
                await anyio.sleep(deed.lasts)
                await self.come_up()
            case Freeze(suspended):
                await self._freeze(deed.lasts, suspended)
            case WrongClock(by):
                self._set_clock(by)
                await anyio.sleep(deed.lasts)
                self._set_clock(-by)
            case StoreClock(by):
                self._set_store_clock(by)
                await anyio.sleep(deed.lasts)
                self._set_store_clock(-by)
            case trouble:
                await self._disturb(deed.lasts, trouble)

    def crash(self) -> None:
        """Let the scheduler die, if it is up."""
        if self.instance.alive:
            self.instance.crash()
            if self._life is not None and self._life.ended == inf:
                self._life.ended, self._life.crashed = anyio.current_time(), True
                self._crash_handlers()

    def _crash_handlers(self) -> None:
        for act in self._tale.acts:
            if act.instance == self.instance.name:
                act.end(anyio.current_time(), "crashed")

    async def stop(self) -> None:
        """Stop the scheduler gracefully, if it is up, and wait for its end.

        One that is starting is up first: a stop meanwhile has tests of its own.
        """
        async with self._starting:
            await anyio.lowlevel.checkpoint()
        life = self._life
        if life is None or not self.instance.alive or life.stopped < inf:
            await anyio.lowlevel.checkpoint()
            return
        life.stopped = anyio.current_time()
        await self.instance.stop()
        if not life.crashed:
            life.ended, life.calls = anyio.current_time(), self._calls()

    def see_state(self) -> None:
        """Write down in which state the scheduler is."""
        if self._life is not None and self.instance.alive:
            self._life.state = self.instance.scheduler.state

    def _calls(self) -> int:
        return self.instance.faults.calls.total()

    async def _freeze(self, seconds: float, suspended: bool) -> None:
        life = self._life
        if life is None or not self.instance.alive or self.instance.frozen:
            await anyio.lowlevel.checkpoint()
            return
        spell = self._suffer(after=AFTER_SILENCE, sleeping=True)
        self.instance.freeze()
        await anyio.sleep(seconds)
        self._thaw(suspended)
        spell.ended = anyio.current_time()

    def _thaw(self, suspended: bool) -> None:
        # it may have crashed meanwhile
        if self.instance.frozen:
            self.instance.thaw(suspended=suspended)

    async def _disturb(self, seconds: float, trouble: Trouble) -> None:
        spell = self._suffer(after=AFTER_SILENCE + STORM)
        self._disturbed.append(trouble)
        self._set_faults()
        await anyio.sleep(seconds)
        self._disturbed.remove(trouble)
        self._set_faults()
        spell.ended = anyio.current_time()
        if isinstance(trouble, Copies):
            # they are harmless, so nothing is excused by them
            self._tale.spells.remove(spell)

    def _set_faults(self) -> None:
        faults = self.instance.faults
        faults.clear()
        for trouble in self._disturbed:
            match trouble:
                case CutOff(silent):
                    faults.partition(silent=silent)
                case Slow(request, reply):
                    faults.always(Fault(request_delay=request, reply_delay=reply))
                case LostReplies(silent):
                    faults.always(HANG_AFTER if silent else FAIL_AFTER)
                case Copies(after):
                    faults.always(Fault(copy_after=after))
                case Storm(seed):
                    faults.storm(seed, rate=0.3, longest=STORM)
                case _:
                    raise AssertionError(trouble)

    def _set_clock(self, by: float) -> None:
        self.instance.clock.step(by)
        self._suffer(after=AFTER_STEP, clock=True).ended = anyio.current_time()

    def _set_store_clock(self, by: float) -> None:
        self._step_store(by)
        now = anyio.current_time()
        self._tale.store_steps.append((now, by))
        spell = Spell(who=EVERYBODY, began=now, ended=now, after=AFTER_STORE_STEP)
        self._tale.spells.append(spell)

    def _suffer(
        self, *, after: float, sleeping: bool = False, clock: bool = False
    ) -> Spell:
        spell = Spell(
            who=self.instance.name,
            began=anyio.current_time(),
            after=after,
            sleeping=sleeping,
            clock=clock,
        )
        self._tale.spells.append(spell)
        return spell


def _bad_callback(_: Event) -> None:
    raise RuntimeError("a callback may raise")
