"""The estimate of the store's clock: which replies it believes, and what it tells."""

import anyio
import pytest

from anarchon.engine.store_time import StoreTime

AHEAD = 3.0
START = 1_000.0


class Hands:
    """A clock whose times are set by hand: both go on, or one of them stands still."""

    def __init__(self) -> None:
        self._wall = self._monotonic = START

    def time(self) -> float:
        """Return wall time."""
        return self._wall

    def monotonic(self) -> float:
        """Return monotonic time."""
        return self._monotonic

    async def sleep(self, seconds: float) -> None:
        """Never called here."""
        await anyio.sleep(seconds)

    def pass_by(self, seconds: float, *, suspended: bool = False) -> None:
        """Let time pass; a suspended machine's monotonic time stands still."""
        self._wall += seconds
        self._monotonic += 0 if suspended else seconds


class Case:
    """An estimate of a clock that is ahead of the wall time, and what it told."""

    def __init__(self) -> None:
        self.clock = Hands()
        self.moves = 0
        self.time = StoreTime(self.clock, on_skew=lambda _: None, on_move=self._move)

    def _move(self) -> None:
        self.moves += 1

    def ask(self, there: float = 0.1, back: float = 0.1, still: float = 0.0) -> None:
        """Ask the store; the machine may be suspended before the reply is read."""
        sent = self.time.sent()
        self.clock.pass_by(there)
        reading = round((self.clock.time() + AHEAD) * 1000)
        self.clock.pass_by(back)
        self.clock.pass_by(still, suspended=True)
        self.time.observe(sent, reading)

    @property
    def wrong_by(self) -> float:
        """By how many seconds the estimate is ahead of the store."""
        return self.time.now() / 1000 - (self.clock.time() + AHEAD)


@pytest.fixture
def case() -> Case:
    """Give an estimate that is right."""
    case = Case()
    case.ask()
    assert 0 == pytest.approx(case.wrong_by)
    return case


def test_reply_that_a_frozen_host_reads_late_is_not_believed(case: Case) -> None:
    """It may be wrong by half of the freeze; the estimate from before stands."""
    case.ask(back=70.0)
    assert 0 == pytest.approx(case.wrong_by)


def test_reply_that_lay_about_in_a_sleep_is_not_believed(case: Case) -> None:
    """The machine's clock doesn't know how old it is; the store is asked again."""
    case.ask(still=70.0)
    void = [case.time.void]
    case.ask()
    void.append(case.time.void)
    assert [True, False] == void
    assert 0 == pytest.approx(case.wrong_by)


def test_no_call_that_was_under_way_in_a_sleep_tells_the_time(case: Case) -> None:
    """Of several replies that lay about none is believed, not only the first."""
    sent, reading = case.clock.monotonic(), round((case.clock.time() + AHEAD) * 1000)
    case.clock.pass_by(0.1)
    case.clock.pass_by(70, suspended=True)
    void: list[bool] = []
    for _ in range(2):
        case.time.observe(sent, reading)
        void.append(case.time.void)
    assert [True, True] == void


def test_first_call_after_a_sleep_tells_the_time(case: Case) -> None:
    """Until then only the wall clock would be left, and that may be wrong."""
    case.clock.pass_by(70, suspended=True)
    case.ask()
    assert not case.time.void
    assert 0 == pytest.approx(case.wrong_by)


def test_reply_that_lay_about_in_a_second_sleep_is_not_believed(case: Case) -> None:
    """That the first sleep was noticed already makes no difference."""
    case.clock.pass_by(70, suspended=True)
    case.ask(still=70.0)
    assert case.time.void


def test_reply_from_before_a_step_of_the_store_is_not_believed(case: Case) -> None:
    """One that was asked for before the step was seen, and was slow, tells old time."""
    case.clock.pass_by(10)
    sent, old = case.clock.monotonic(), case.clock.time() + AHEAD
    case.clock.pass_by(1)
    case.time.observe(case.clock.monotonic(), round((case.clock.time() - 60) * 1000))
    case.time.observe(sent, round(old * 1000))
    assert -60 - AHEAD == pytest.approx(case.wrong_by)


def test_whoever_sleeps_is_told_that_a_better_reply_has_moved_the_estimate() -> None:
    """A timer that was set by a slow reply would otherwise sleep on, for too long."""
    case = Case()
    case.ask(there=0.1, back=4.0)
    assert pytest.approx(-1.95) == case.wrong_by
    moves = case.moves
    case.ask()
    assert moves + 1 == case.moves
    assert 0 == pytest.approx(case.wrong_by)


def test_nobody_is_woken_while_the_estimate_stands(case: Case) -> None:
    """Replies that say the same cost the sleepers nothing."""
    moves = case.moves
    for _ in range(10):
        case.clock.pass_by(20)
        case.ask()
    assert moves == case.moves
