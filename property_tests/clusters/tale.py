"""All that is known of a play: what the store, the handlers and the instances did.

Decides when an instance counts as healthy: it is up, and no trouble is near. Must not
know what ought to have happened. Instants are the loop's time, in seconds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isclose

from anarchon import RunContext
from anarchon.events import Event
from anarchon.model import CancelReason, RunRecord
from anarchon.testing.journal import Entry
from property_tests.clusters.leases import Leases
from property_tests.clusters.plans import (
    SHIELDED,
    Conduct,
    Copies,
    Plan,
)
from property_tests.clusters.troubles import way_in
from property_tests.clusters.witness import Step


@dataclass(slots=True, kw_only=True)
class Act:
    """A handler at work: what became of it, and when it felt a cancellation."""

    ctx: RunContext
    began: float
    cancelled: float = inf
    ended: float = inf
    how: str = ""
    why: CancelReason | None = None

    @property
    def name(self) -> tuple[str, int, int]:
        """The job, the slot and the number of the attempt."""
        return self.ctx.job, self.ctx.slot, self.ctx.attempt

    @property
    def job(self) -> str:
        """The job."""
        return self.ctx.job

    @property
    def instance(self) -> str:
        """The name of its instance."""
        return self.ctx.instance_id

    def end(self, time: float, how: str) -> None:
        """Write its end down, and why it had been cancelled by then; once."""
        if self.ended == inf:
            self.ended, self.how, self.why = time, how, self.ctx.cancel_reason


@dataclass(slots=True, kw_only=True)
class Life:
    """A scheduler, from its start; ``stopped`` is when its stop began.

    ``asked`` is when its start began: what was granted before is read in it. ``calls``
    counts those that it had sent when it had ended, ``later`` those that were counted
    when the next one began, ``new`` what was still asked for in its stop. ``going`` are
    the attempts that it counted as its own at the end of calm.
    """

    instance: str
    asked: float
    began: float
    stopped: float = inf
    ended: float = inf
    crashed: bool = False
    state: str = ""
    calls: int = 0
    later: int | None = None
    new: int = 0
    going: tuple[tuple[str, int, int], ...] = ()


@dataclass(slots=True, kw_only=True)
class Spell:
    """A trouble that an instance had; ``after`` is what a call may take yet.

    ``sleeping`` says that nothing moved on the instance meanwhile, ``clock`` that its
    clock was set, ``store`` that the store's was; then it lasts until it could know.
    ``arrives`` says that what it asked was done, though nobody answered, ``beats`` that
    only its finishes were lost.
    """

    who: str
    began: float
    ended: float = inf
    after: float = 0.0
    sleeping: bool = False
    clock: bool = False
    store: bool = False
    arrives: bool = False
    beats: bool = False

    def touches(self, who: str, since: float, until: float) -> bool:
        """Tell whether it is felt by an instance within this time."""
        return (
            self.who == who and self.began <= until and since <= self.ended + self.after
        )


@dataclass(kw_only=True)
class Tale:
    """What happened in a play; ``store_steps`` are the store's clock, as it was set."""

    plan: Plan
    store_epoch: float = 0.0
    store_steps: list[tuple[float, float]] = field(
        default_factory=list[tuple[float, float]]
    )
    steps: list[Step] = field(default_factory=list[Step])
    acts: list[Act] = field(default_factory=list[Act])
    lives: list[Life] = field(default_factory=list[Life])
    spells: list[Spell] = field(default_factory=list[Spell])
    events: list[Entry[Event]] = field(default_factory=list[Entry[Event]])
    records: list[RunRecord] = field(default_factory=list[RunRecord])
    leaked: list[str] = field(default_factory=list[str])
    death: BaseException | None = None
    over: float = 0.0
    told: str = ""

    @cached_property
    def leases(self) -> Leases:
        """What the steps come to."""
        return Leases(self.steps)

    @cached_property
    def on_record(self) -> dict[tuple[str, int, int], RunRecord]:
        """The records by the name of their attempt."""
        return {(r.job, r.slot, r.attempt): r for r in self.records}

    def shielded_until(self, act: Act) -> float:
        """Return until when a handler shields itself, by its context."""
        shields = self.plan.job(act.job).conduct is Conduct.SHIELDS
        seconds = SHIELDED / self.plan.machine(act.instance).rate
        return act.began + seconds if shields else 0.0

    @property
    def longest_way(self) -> float:
        """How long after it was sent a request, or its copy, may arrive here."""
        return max((way_in(deed.trouble) for deed in self.plan.deeds), default=0.0)

    def is_copy(self, step: Step) -> bool:
        """Tell whether the very same was asked as long before as copies are late."""
        delays = [
            deed.trouble.after
            for deed in self.plan.deeds
            if isinstance(deed.trouble, Copies)
        ]
        return any(
            isclose(step.time - other.time, delay)
            for delay in delays
            for other in self.steps
            if other.token == step.token and other.asked == step.asked
        )

    def acts_in(self, life: Life) -> list[Act]:
        """Return the handlers that a scheduler called."""
        return [
            act
            for act in self.acts
            if act.instance == life.instance and life.began <= act.began <= life.ended
        ]

    def life_at(self, who: str, time: float) -> Life | None:
        """Return the scheduler that was up on an instance at an instant."""
        return next(
            (
                life
                for life in self.lives
                if life.instance == who
                if life.began <= time <= min(life.stopped, life.ended)
            ),
            None,
        )

    def healthy(
        self, who: str, since: float, until: float, *, whatever_the_store: bool = False
    ) -> bool:
        """Tell whether an instance was up, and untroubled, all this time.

        ``whatever_the_store`` clock showed: its steps don't count then.
        """
        life = self.life_at(who, since)
        return (
            life is not None
            and until < min(life.stopped, life.ended)
            and not any(
                spell.touches(who, since, until)
                for spell in self.spells
                if not (whatever_the_store and spell.store)
            )
        )

    def troubled(self, who: str, since: float, until: float) -> bool:
        """Tell whether any trouble is felt by an instance within this time."""
        return any(spell.touches(who, since, until) for spell in self.spells)

    def reached(self, who: str, since: float, until: float) -> bool:
        """Tell whether all that an instance asked in this time was done in it."""
        return not any(
            spell.touches(who, since, until)
            for spell in self.spells
            if not spell.arrives
        )

    def health(self, who: str) -> Iterator[tuple[float, float]]:
        """Yield the stretches of time in which an instance was healthy."""
        spells = [spell for spell in self.spells if spell.who == who]
        for life in self.lives:
            if life.instance == who:
                yield from self.between(life, spells)

    def between(
        self, life: Life, spells: Iterable[Spell]
    ) -> Iterator[tuple[float, float]]:
        """Yield the stretches of a life, until its stop, that are free of spells."""
        since, end = life.began, min(life.stopped, life.ended, self.over)
        for spell in sorted(spells, key=lambda spell: spell.began):
            if since < min(spell.began, end):
                yield since, min(spell.began, end)
            since = max(since, spell.ended + spell.after)
        if since < end:
            yield since, end

    def awake(self, who: str, since: float, until: float) -> bool:
        """Tell whether an instance could move all this time, in whatever trouble."""
        life = self.life_at(who, since)
        return (
            life is not None
            and until < life.ended
            and not self.slept(who, since, until)
        )

    def clock_steps(self, who: str) -> int:
        """Return how often an instance's clock was set."""
        return len([s for s in self.spells if s.clock and s.who == who])

    def unsure(self, who: str, time: float) -> bool:
        """Tell whether an instance's clock, or the store's, was set lately."""
        return any(
            spell.touches(who, time, time)
            for spell in self.spells
            if spell.clock or spell.store
        )

    def store_time(self, time: float) -> float:
        """Return what the store's clock showed, in seconds since 1970 UTC."""
        steps = sum(by for at, by in self.store_steps if at <= time)
        return self.store_epoch + steps + time

    def set_back(self, since: float, until: float) -> float:
        """Return by how much the store's clock was set back within this time.

        Who began to ask before that gives up by what it knew when it began.
        """
        steps = (by for at, by in self.store_steps if since <= at <= until)
        return -sum(by for by in steps if by < 0)

    def slept(self, who: str, since: float, until: float) -> bool:
        """Tell whether an instance stood still at any time within this."""
        return any(
            spell.touches(who, since, until) for spell in self.spells if spell.sleeping
        )
