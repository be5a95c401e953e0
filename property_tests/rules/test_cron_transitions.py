"""Cron at every transition of every zone from 1970 to 2037, against brute force.

Each of the 17,000 or so is tried with two expressions. Transitions between the same
offsets at the same local time of day are alike to an expression that names no date, so
one of each such shape is tried with all the others.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile

import pytest

from anarchon.rules.cron import Cron
from property_tests.rules.cron_oracle import Oracle, Step, walk
from property_tests.rules.zones import Transition, all_transitions, shapes

HOUR = 3_600
PARTS = 12
EXPRESSIONS = (
    "* * * * *",
    "*/20 * * * *",
    "30 * * * *",
    "7,37 */2 * * *",
    "0 */3 * * *",
    "15 1 * * *",
    "30 2 * * *",
    "*/10 1-3 * * *",
    "0 0,23 * * *",
    "0 0 * * *",
    "45 23 * * 5,6",
    "30 3/4 * * *",
    "59 */24 * * *",
    "1-59/2 0-23 * * *",
)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_transition_of_every_zone_is_as_by_brute_force(part: int) -> None:
    """Fixed hours come once; a half hour by the hour as often as the clock shows it."""
    for transition in all_transitions()[part::PARTS]:
        steps = _walk_around(transition, HOUR)
        for expression in ("*/30 * * * *", "*/30 0-23 * * *"):
            _check(Cron(expression, timezone=transition.zone), steps)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_each_shape_of_transition_is_as_by_brute_force(expression: str) -> None:
    """Whatever an expression matches, its slots are those of a walk along real time."""
    for transition, steps in _shape_walks():
        cron = Cron(expression, timezone=transition.zone)
        slots = _check(cron, steps)
        first, at, last = steps[0][0], transition.instant, steps[-1][0]
        _check_answers(cron, slots, (at * 1000 - 1, at * 1000, at * 1000 + 1))
        _check_answers(cron, slots, range(first * 1000, last * 1000, 1_999_999))


@cache
def _shape_walks() -> list[tuple[Transition, list[Step]]]:
    return [(one, _walk_around(one, 4 * HOUR)) for one in shapes()]


def _walk_around(transition: Transition, reach: int) -> list[Step]:
    """Walk on the full minutes of both wall clocks."""
    reach += abs(transition.shift)
    start = transition.instant - reach
    start -= (start + transition.before) % 60
    return walk(transition.zone, start, transition.instant + reach, transition.step)


def _check(cron: Cron, steps: Sequence[Step]) -> list[int]:
    """Compare both directions with brute force, and return the slots."""
    expected = [slot * 1000 for slot in Oracle(cron.expression).slots(steps)]
    start, stop = steps[0][0] * 1000, steps[-1][0] * 1000
    forwards = takewhile(lambda slot: slot <= stop, _forwards(cron, start))
    backwards = takewhile(lambda slot: slot > start, _backwards(cron, stop))
    assert expected == list(forwards), (cron, start)
    assert expected[::-1] == list(backwards), (cron, stop)
    return expected


def _forwards(cron: Cron, ms: int) -> Iterator[int]:
    while True:
        ms = cron.next_after(ms)
        yield ms


def _backwards(cron: Cron, ms: int) -> Iterator[int]:
    while (slot := cron.latest_at(ms)) is not None:
        yield slot
        ms = slot - 1


def _check_answers(cron: Cron, slots: Sequence[int], instants: Iterable[int]) -> None:
    """Compare the answers for instants between the first slot and the last."""
    for ms in instants:
        index = bisect_right(slots, ms)
        if 0 < index < len(slots):
            assert slots[index] == cron.next_after(ms), (cron, ms)
            assert slots[index - 1] == cron.latest_at(ms), (cron, ms)
