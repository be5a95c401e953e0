"""By which clock a slot is due on an instance, and which slots are.

Decides that it is the store's clock, or the instance's own where the store tells no
time. Must not know what ought to come of a slot. Instants are the loop's, in seconds.
"""

from collections.abc import Iterator
from dataclasses import replace

from anarchon.rules.schedule import Schedule
from property_tests.clusters.plans import Kind, WrongClock
from property_tests.clusters.tale import Tale

# a timer looks at its clock once a minute
LOOK = 62.0


def shown(tale: Tale, who: str, time: float) -> float:
    """Return what the clock that counts for an instance shows, in s since 1970 UTC."""
    if tale.plan.store is not Kind.TIMELESS:
        return tale.store_time(time)
    machine = tale.plan.machine(who)
    set_by = sum(by for at, by in settings(tale, who) if at <= time)
    return tale.store_epoch + machine.offset + machine.rate * time + set_by


def settings(tale: Tale, who: str) -> list[tuple[float, float]]:
    """Return when that clock was set, and by how many seconds."""
    if tale.plan.store is not Kind.TIMELESS:
        return tale.store_steps
    return [
        setting
        for deed in tale.plan.deeds
        if deed.who == who and isinstance(deed.trouble, WrongClock)
        for setting in (
            (deed.at, deed.trouble.by),
            (deed.at + deed.lasts, -deed.trouble.by),
        )
    ]


def health(tale: Tale, who: str) -> Iterator[tuple[float, float]]:
    """Yield the stretches of time in which an instance was healthy.

    Where no reply tells the time, it notices by a timer that its clock was set.
    """
    if tale.plan.store is not Kind.TIMELESS:
        yield from tale.health(who)
        return
    spells = [
        replace(spell, ended=spell.began, after=LOOK) if spell.clock else spell
        for spell in tale.spells
        if spell.who == who and not spell.store
    ]
    for life in tale.lives:
        if life.instance == who:
            yield from tale.between(life, spells)


def due(tale: Tale, who: str, since: float, until: float) -> Iterator[tuple[str, int]]:
    """Yield job and slot of all that comes due on an instance within this time.

    Left out is what that clock had reached before it was set back.
    """
    before = [(at, by) for at, by in settings(tale, who) if at <= since]
    reached = max((shown(tale, who, at) - by for at, by in before), default=0.0)
    begin, end = max(shown(tale, who, since), reached), shown(tale, who, until)
    for job in tale.plan.jobs:
        if job.name != tale.plan.machine(who).version.lacks:
            for slot in _slots(job.schedule, int(begin * 1000), int(end * 1000)):
                yield job.name, slot


def _slots(schedule: Schedule, after: int, until: int) -> Iterator[int]:
    slot = schedule.next_after(after)
    while slot <= until:
        yield slot
        slot = schedule.next_after(slot)
