"""Random expressions against brute force, and random text against the parser."""

from datetime import UTC, datetime, timedelta

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anarchon.errors import InvalidSchedule
from anarchon.rules.cron import Cron
from property_tests.budget import within
from property_tests.rules import cron_texts
from property_tests.rules.cron_oracle import Oracle, Step, walk
from property_tests.rules.zones import END, Transition, all_transitions

HOUR = 3_600
SEARCHED = 1_500
TRIED = settings().max_examples

pytestmark = within(60)

transitions = st.sampled_from(all_transitions())
small_transitions = transitions.filter(lambda one: abs(one.shift) <= HOUR)
instants = st.integers(0, int(END.timestamp() * 1000))
zones = transitions.map(lambda transition: transition.zone)


@given(transitions, cron_texts.times(), cron_texts.dates())
@settings(max_examples=2 * TRIED)
def test_expressions_match_brute_force_around_transitions(
    transition: Transition, time: str, date: str
) -> None:
    """Every slot around a transition is found, in both directions, and no other."""
    steps = _walk_around(transition, 8 * HOUR, transition.step)
    _check(_cron(f"{time} {date}", transition.zone), steps)


@given(
    small_transitions, cron_texts.fields(0, 59), cron_texts.times(), cron_texts.dates()
)
@settings(max_examples=TRIED // 4)
def test_expressions_with_seconds_match_brute_force(
    transition: Transition, second: str, time: str, date: str
) -> None:
    """Six fields start with seconds, and are as exact as five."""
    steps = _walk_around(transition, 300, 1)
    _check(_cron(f"{second} {time} {date}", transition.zone), steps)


@given(instants, cron_texts.dates())
@example(0, "29 2 *")
@example(0, "*/2 * */1")
@settings(max_examples=2 * TRIED)
def test_dates_match_brute_force(ms: int, date: str) -> None:
    """The next and the latest date are those that a walk day by day meets first."""
    cron, oracle = _cron(f"0 0 {date}", "UTC"), Oracle(f"0 0 {date}")
    today = datetime.fromtimestamp(ms // 1000, UTC).replace(
        hour=0, minute=0, second=0, tzinfo=None
    )
    after, until = _date(cron.next_after(ms)), _date(cron.latest_at(ms))
    forwards = (today + timedelta(days=1 + i) for i in range(SEARCHED))
    backwards = (today - timedelta(days=i) for i in range(SEARCHED))
    found_after = next(filter(oracle.matches, forwards), None)
    found_until = next(filter(oracle.matches, backwards), None)
    far = timedelta(days=SEARCHED)
    assert found_after == after or (found_after is None and after - today > far)
    assert found_until == until or (found_until is None and today - until >= far)


@given(instants, zones, cron_texts.times(), cron_texts.dates())
@settings(max_examples=3 * TRIED)
def test_next_and_latest_agree(ms: int, zone: str, time: str, date: str) -> None:
    """A slot is its own latest; between a latest slot and the next there is none."""
    cron = _cron(f"{time} {date}", zone)
    following, latest = cron.next_after(ms), cron.latest_at(ms)
    assert latest is not None
    assert latest <= ms < following
    assert following == cron.latest_at(following)
    assert latest == cron.latest_at(following - 1)
    assert following == cron.next_after(latest)


@given(st.text("0123456789*,-/?#LWHR@MONDEC ", max_size=25) | st.text(max_size=10))
@example("0 0 * * 6/2")
@example("9" * 5000 + " * * * *")
def test_any_text_is_a_schedule_or_refused(text: str) -> None:
    """Whatever is written has slots, or is named by an ``InvalidSchedule``."""
    refusal = _refusal(text)
    if refusal is None:
        slot = Cron(text).next_after(0)
        assert slot == Cron(text).latest_at(slot)
    else:
        assert repr(text) in refusal


def _refusal(text: str) -> str | None:
    try:
        Cron(text)
    except InvalidSchedule as error:
        return str(error)
    return None


def _cron(expression: str, zone: str) -> Cron:
    try:
        return Cron(expression, timezone=zone)
    except InvalidSchedule as error:
        assume("never matches" not in str(error))
        raise


def _date(ms: int | None) -> datetime:
    assert ms is not None
    return datetime.fromtimestamp(ms // 1000, UTC).replace(tzinfo=None)


def _walk_around(transition: Transition, reach: int, step: int) -> list[Step]:
    start = transition.instant - abs(transition.shift) - reach
    start -= (start + transition.before) % 60
    stop = transition.instant + abs(transition.shift) + reach
    return walk(transition.zone, start, stop, step)


def _check(cron: Cron, steps: list[Step]) -> None:
    expected = [slot * 1000 for slot in Oracle(cron.expression).slots(steps)]
    start, stop = steps[0][0] * 1000, steps[-1][0] * 1000
    assert expected == _forwards(cron, start, stop)
    assert expected[::-1] == _backwards(cron, start, stop)


def _forwards(cron: Cron, start: int, stop: int) -> list[int]:
    slots = [start]
    while (slot := cron.next_after(slots[-1])) <= stop:
        slots.append(slot)
    return slots[1:]


def _backwards(cron: Cron, start: int, stop: int) -> list[int]:
    slots = [stop + 1]
    while (slot := cron.latest_at(slots[-1] - 1)) is not None and slot > start:
        slots.append(slot)
    return slots[1:]
