"""What the listeners are told is what happened, and each thing once."""

from collections import Counter

from anarchon.events import Failure, Interrupted, Lost, RunEvent, Start, Success
from anarchon.protocol import Claim
from property_tests.clusters.invariants import SLACK, Complaints
from property_tests.clusters.leases import Way
from property_tests.clusters.tale import Tale

Told = tuple[str, int, int, str]


def ends_are_told(tale: Tale) -> Complaints:
    """Each start is told once, and so is its end, unless its instance crashed.

    What was won in a stop is handed over before it begins, so has an end alone.
    """
    called = Counter((*act.name, act.instance) for act in tale.acts)
    begun = Counter(_told(tale, Start))
    ended = Counter(_told(tale, Success, Failure, Interrupted))
    for name in begun | ended | called:
        if not called[name] <= begun[name] <= 1 or ended[name] > 1:
            yield f"{name}: {begun[name]} starts and {ended[name]} ends were told"
    # an end may be written yet when the handler is over
    crashed = {
        (*act.name, act.instance)
        for life in tale.lives
        if life.crashed
        for act in tale.acts_in(life)
    }
    for name in begun.keys() - ended.keys() - crashed:
        yield f"{name}: no end was told"


def _told(tale: Tale, *kinds: type[RunEvent]) -> list[Told]:
    # that a run ended without its runner is told beside, by whoever noticed
    return [
        (entry.what.job, entry.what.slot, entry.what.attempt, entry.instance)
        for entry in tale.events
        if isinstance(entry.what, kinds)
        if not (isinstance(entry.what, Interrupted) and entry.what.final)
    ]


def nothing_succeeds_that_was_lost(tale: Tale) -> Complaints:
    """A loss is told once, and after it the end is never a success."""
    lost = Counter(_told(tale, Lost))
    for name, count in lost.items():
        if count > 1:
            yield f"{name}: lost {count} times"
    for name in lost.keys() & set(_told(tale, Success)):
        yield f"{name}: lost, and told as a success"


def successes_are_on_record(tale: Tale) -> Complaints:
    """A success is told once it is stored, if the store could be reached.

    Who hears nothing of a refusal tells what the handler did.
    """
    for entry in tale.events:
        if not isinstance(entry.what, Success):
            continue
        name = entry.what.job, entry.what.slot, entry.what.attempt
        since = entry.time - SLACK
        if not tale.reached(entry.instance, since, entry.time):
            continue
        deaf = tale.troubled(entry.instance, since, entry.time)
        for attempt in (a for a in tale.leases.attempts if a.name == name):
            refused = deaf and attempt.gone is not None
            if attempt.way is not Way.FINISHED and not refused:
                yield f"{name}: told as a success, {attempt.way}"


def final_ends_are_told(tale: Tale) -> Complaints:
    """That a run ended for good without its runner is told by who noticed.

    Nobody does if a copy of what was asked is told of it.
    """
    told = {
        (entry.what.job, entry.what.slot, entry.what.attempt)
        for entry in tale.events
        if isinstance(entry.what, Interrupted) and entry.what.final
    }
    for attempt in tale.leases.attempts:
        step = attempt.gone
        if step is None or not isinstance(step.asked, Claim) or not step.ends_runs:
            continue
        who, name = step.asked.instance_id, attempt.name
        since, until = step.time - SLACK, step.time + SLACK
        heard = tale.healthy(who, since, until, whatever_the_store=True)
        if not heard or tale.is_copy(step):
            continue
        if name not in told and attempt.way is not Way.TAKEN:
            yield f"{step.time:.3f} {name}: {who} didn't tell its end"
