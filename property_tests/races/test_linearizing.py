"""The checker of histories says what trying every order says."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TypeAlias

from hypothesis import event, given
from hypothesis import strategies as st

from property_tests.races.linearizing import Operation, linearized, overlapping


@dataclass(frozen=True, slots=True)
class Write:
    """Put a value into the register; it is answered by the value before it."""

    value: int


@dataclass(frozen=True, slots=True)
class Read:
    """Ask for the value in the register."""


Asked: TypeAlias = Operation[Write | Read, int]
READ = Read()


def register(value: int, operation: Asked) -> Iterator[int]:
    """Write or read a register; either tells the value that it finds."""
    if operation.ended is None or operation.reply == value:
        request = operation.request
        yield request.value if isinstance(request, Write) else value


def counter(count: int, operation: Operation[None, int]) -> Iterator[int]:
    """Count up; the answer is how far."""
    if operation.ended is None or operation.reply == count + 1:
        yield count + 1


def asked(
    began: int, ended: int | None, request: Write | Read, reply: int | None = None
) -> Asked:
    """Return an operation on the register."""
    return Operation(by="A", began=began, ended=ended, request=request, reply=reply)


def counted(began: int, ended: int | None, reply: int | None) -> Operation[None, int]:
    """Return an operation on the counter."""
    return Operation(by="A", began=began, ended=ended, request=None, reply=reply)


def test_a_read_may_come_before_or_after_a_write_that_it_overlaps() -> None:
    """Either value can be read while a write is under way, in either order of ends."""
    write = asked(0, 10, Write(1), 0)
    for read in (asked(5, 6, READ, 0), asked(5, 20, READ, 1), asked(5, 20, READ, 0)):
        assert linearized([write, read], 0, register).explained


def test_a_read_that_misses_an_ended_write_is_not_explained() -> None:
    """What had been written before the read began must be read."""
    history = [asked(0, 10, Write(1), 0), asked(11, 20, READ, 0)]
    verdict = linearized(history, 0, register)
    assert not verdict.explained
    assert tuple(history[:1]) == verdict.order
    assert tuple(history[1:]) == verdict.next
    assert 1 == verdict.state


def test_two_reads_do_not_go_back_in_time() -> None:
    """Once the new value was read, the old one isn't, though the write goes on."""
    write = asked(0, 100, Write(1), 0)
    reads = [asked(10, 20, READ, 1), asked(30, 40, READ, 0)]
    assert not linearized([write, *reads], 0, register).explained


def test_what_was_never_answered_may_happen_late_or_never() -> None:
    """A write without an end explains an old value, then the new one, but not more."""
    write = asked(0, None, Write(1))
    old, new, older = (
        asked(10, 20, READ, 0),
        asked(30, 40, READ, 1),
        asked(50, 60, READ, 0),
    )
    assert linearized([write, old], 0, register).explained
    assert linearized([write, old, new], 0, register).explained
    assert not linearized([write, old, new, older], 0, register).explained


def test_what_was_never_answered_does_not_happen_before_it_began() -> None:
    """A value isn't read before anybody asked to write it."""
    history = [asked(0, 10, READ, 1), asked(11, None, Write(1))]
    assert not linearized(history, 0, register).explained


def test_no_two_are_told_the_same_count() -> None:
    """Two that overlap are counted one after the other."""
    assert linearized([counted(0, 9, 2), counted(1, 8, 1)], 0, counter).explained
    assert not linearized([counted(0, 9, 1), counted(1, 8, 1)], 0, counter).explained


def test_a_crowd_is_looked_at_once_for_each_set_that_came_first() -> None:
    """Of orders that lead to the same state with the same left, one is gone through."""
    crowd = [asked(0, 100, READ, 0) for _ in range(10)]
    verdict = linearized([*crowd, asked(200, 300, READ, 7)], 0, register)
    assert not verdict.explained
    assert 2**10 == verdict.tried


def test_pairs_that_overlap_are_counted() -> None:
    """What never ended overlaps all that came after it."""
    history = [asked(0, 10, READ), asked(5, 20, READ), asked(15, None, READ)]
    assert 2 == overlapping(history)


values = st.integers(0, 2)
requests = st.one_of(st.builds(Write, values), st.just(READ))


@st.composite
def histories(draw: st.DrawFn) -> list[Asked]:
    """Draw up to five operations; an answer is right, wrong or never came."""
    count = draw(st.integers(1, 5))
    instants = draw(st.permutations(range(2 * count)))
    history: list[Asked] = []
    for index in range(count):
        began, ended = sorted(instants[2 * index : 2 * index + 2])
        answered = draw(st.integers(0, 4)) > 0
        history.append(
            asked(
                began,
                ended if answered else None,
                draw(requests),
                draw(values) if answered else None,
            )
        )
    return history


@given(history=histories())
def test_the_search_finds_an_order_when_there_is_one(history: list[Asked]) -> None:
    """It says what trying all orders of all subsets says, and its order is one."""
    verdict = linearized(history, 0, register)
    event(f"explained: {verdict.explained}")
    assert any(map(explains, orders(history))) == verdict.explained
    if verdict.explained:
        assert explains(verdict.order)


def orders(history: Sequence[Asked]) -> Iterator[Sequence[Asked]]:
    """Yield every order that keeps to time, with any of those that had no answer."""
    answered = [each for each in history if each.ended is not None]
    unanswered = [each for each in history if each.ended is None]
    for count in range(len(unanswered) + 1):
        for some in combinations(unanswered, count):
            yield from filter(keeps_to_time, permutations([*answered, *some]))


def keeps_to_time(order: Sequence[Asked]) -> bool:
    """Whether nothing comes after something that began when it was over."""
    return all(one.began <= later.until for one, later in combinations(order, 2))


def explains(order: Iterable[Asked]) -> bool:
    """Whether the register, asked in this order, answers so."""
    value = 0
    for operation in order:
        after = list(register(value, operation))
        if not after:
            return False
        [value] = after
    return True
