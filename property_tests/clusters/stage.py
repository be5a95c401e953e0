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
from anarchon.rules.lease import MAX_CALL
from anarchon.testing.faults import FAIL_BEFORE, OK
from anarchon.testing.instance import Instance
from property_tests.clusters.plans import (
    STORM,
    Copies,
    Crash,
    CutOff,
    Deed,
    Freeze,
    LostFinishes,
    LostReplies,
    Stop,
    StoreClock,
    Storm,
    Trouble,
    WrongClock,
)
from property_tests.clusters.tale import Life, Spell, Tale
from property_tests.clusters.troubles import fault_of, under_way_after

# a start that gets no answer is tried again
PATIENCE = 30.0
RETRY = 1.0
# what the store answers to these tells its time
TELLING = {"time", "claim", "heartbeat", "release", "finish", "unfinished"}
# and nobody who stops asks these
ASKING = ("time", "claim", "unfinished", "prepare")
MOMENT = 0.1
# who hasn't stopped by then never will
LONGEST_STOP = 1_000.0


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
        self._asked_before: int | None = None

    async def come_up(self) -> None:
        """Start, as an operator would: again, until the store answers."""
        async with self._starting:
            while not self.instance.alive:
                with anyio.move_on_after(PATIENCE), suppress(BackendUnavailable):
                    await self._start()
                await anyio.sleep(RETRY)

    async def _start(self) -> None:
        self.count_calls()
        asked = anyio.current_time()
        await self.instance.start()
        # it may have crashed meanwhile
        if self.instance.alive:
            began = anyio.current_time()
            self._life = Life(instance=self.instance.name, asked=asked, began=began)
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
        with anyio.move_on_after(LONGEST_STOP) as patience:
            async with anyio.create_task_group() as watching:
                watching.start_soon(self._begin_to_count)
                await self.instance.stop()
                watching.cancel_scope.cancel()
        if not life.crashed and not patience.cancelled_caught:
            life.ended, life.calls = anyio.current_time(), self._calls()
            if self._asked_before is not None:
                life.new = self._asked() - self._asked_before

    async def _begin_to_count(self) -> None:
        """Note what was asked when the stop has begun, which it can't while frozen."""
        self._asked_before = None
        while self.instance.frozen:
            await anyio.sleep(MOMENT)
        await anyio.sleep(MOMENT)
        self._asked_before = self._asked()

    def _asked(self) -> int:
        return sum(self.instance.faults.calls[name] for name in ASKING)

    def see_state(self) -> None:
        """Write down in which state the scheduler is, and when it knew its clocks."""
        if self._life is not None and self.instance.alive:
            scheduler = self.instance.scheduler
            self._life.state = scheduler.state
            self._life.going = tuple(
                (run.job, run.slot, run.attempt)
                for run in scheduler.running()
                if not run.manual
            )
        for spell in self._tale.spells:
            if spell.who == self.instance.name and spell.ended == inf:
                spell.ended = self._next_heard(spell.began)

    def _next_heard(self, since: float) -> float:
        heard = (
            call.time
            for call in self.instance.faults.log
            if call.sent > since and call.error is None and call.operation in TELLING
        )
        return min(heard, default=inf)

    def _calls(self) -> int:
        return self.instance.faults.calls.total()

    async def _freeze(self, seconds: float, suspended: bool) -> None:
        life = self._life
        if life is None or not self.instance.alive or self.instance.frozen:
            await anyio.lowlevel.checkpoint()
            return
        spell = self._suffer(after=MAX_CALL, sleeping=True)
        self.instance.freeze()
        await anyio.sleep(seconds)
        spell.ended = anyio.current_time()
        self._thaw(suspended)

    def _thaw(self, suspended: bool) -> None:
        # it may have crashed meanwhile
        if not self.instance.frozen:
            return
        self.instance.thaw(suspended=suspended)
        if suspended:
            self._suffer(after=MAX_CALL, clock=True)

    async def _disturb(self, seconds: float, trouble: Trouble) -> None:
        spell = self._suffer(after=under_way_after(trouble))
        spell.arrives = isinstance(trouble, LostReplies)
        spell.beats = isinstance(trouble, LostFinishes)
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
        """Let all troubles of now add up; of two storms the later one blows."""
        faults, standing, finishes = self.instance.faults, OK, OK
        faults.clear()
        for trouble in self._disturbed:
            match trouble:
                case CutOff(silent):
                    faults.partition(silent=silent)
                case Storm(seed):
                    faults.storm(seed, rate=0.3, longest=STORM)
                case LostFinishes():
                    finishes = FAIL_BEFORE
                case _:
                    standing = standing.along_with(fault_of(trouble))
        faults.always(standing)
        faults.always(standing.along_with(finishes), "finish")

    def _set_clock(self, by: float) -> None:
        self.instance.clock.step(by)
        self._suffer(after=MAX_CALL, clock=True)

    def _set_store_clock(self, by: float) -> None:
        self._step_store(by)
        self._tale.store_steps.append((anyio.current_time(), by))
        for name in self._tale.plan.names:
            self._suffer(after=MAX_CALL, store=True, who=name)

    def _suffer(
        self,
        *,
        after: float,
        sleeping: bool = False,
        clock: bool = False,
        store: bool = False,
        who: str = "",
    ) -> Spell:
        spell = Spell(
            who=who or self.instance.name,
            began=anyio.current_time(),
            after=after,
            sleeping=sleeping,
            clock=clock,
            store=store,
        )
        self._tale.spells.append(spell)
        return spell


def _bad_callback(_: Event) -> None:
    raise RuntimeError("a callback may raise")
