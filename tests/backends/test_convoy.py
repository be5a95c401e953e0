"""Requests that share a turn: each is answered, whoever sends, leaves or fails."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

import pytest

from anarchon.backends.convoy import Convoy

ROUNDS = 200
ASKERS = 12


class Store:
    """Answers a number with its negative, when it is let; notes what came together."""

    def __init__(self) -> None:
        self.sent: list[list[int]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.failing: Exception | None = None
        self.refused: set[int] = set()
        self._open = asyncio.Event()

    def let_go(self) -> None:
        """Answer from now on."""
        self._open.set()

    async def send(self, requests: Sequence[int]) -> Sequence[int | Exception]:
        """Carry out a few requests."""
        self.sent.append([*requests])
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self._open.wait()
        finally:
            self.at_once -= 1
        if self.failing is not None:
            raise self.failing
        return [self._answer(request) for request in requests]

    def _answer(self, request: int) -> int | Exception:
        return ValueError(request) if request in self.refused else -request


def played(play: Callable[[Store], Awaitable[None]]) -> None:
    """Let a play run in a loop of its own, bounded."""

    async def bounded() -> None:
        async with asyncio.timeout(10):
            await play(Store())

    asyncio.run(bounded())


async def asked(
    convoy: Convoy[int, int], requests: Sequence[int]
) -> list[asyncio.Task[int]]:
    """Ask in tasks of their own, one after the other."""
    tasks: list[asyncio.Task[int]] = []
    for request in requests:
        tasks.append(asyncio.create_task(convoy.ask(request)))
        await asyncio.sleep(0)
    return tasks


def test_alone_a_request_goes_at_once() -> None:
    """Whoever finds a free turn sends without waiting for company."""

    async def play(store: Store) -> None:
        store.let_go()
        convoy = Convoy(store.send, width=1, most=10)

        assert [-1, -2] == [await convoy.ask(1), await convoy.ask(2)]
        assert [[1], [2]] == store.sent

    played(play)


def test_those_who_wait_go_together_in_order() -> None:
    """What comes while all are busy goes in one, up to the most; nobody is left out."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=1, most=3)
        tasks = await asked(convoy, range(1, 7))
        store.let_go()

        assert [-1, -2, -3, -4, -5, -6] == await asyncio.gather(*tasks)
        assert [[1], [2, 3, 4], [5, 6]] == store.sent

    played(play)


def test_no_more_are_under_way_than_may_be() -> None:
    """The width bounds how many goes there are at a time."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=2, most=2)
        tasks = await asked(convoy, range(10))
        store.let_go()
        await asyncio.gather(*tasks)

        assert store.most_at_once == 2

    played(play)


def test_refusal_is_told_to_whom_it_concerns() -> None:
    """An answer that is an exception is raised for that request alone."""

    async def play(store: Store) -> None:
        store.refused = {3}
        convoy = Convoy(store.send, width=1, most=10)
        tasks = await asked(convoy, [1, 2, 3, 4])
        store.let_go()
        ends = await asyncio.gather(*tasks, return_exceptions=True)

        assert [-1, -2, "ValueError(3)", -4] == [
            repr(end) if isinstance(end, Exception) else end for end in ends
        ]

    played(play)


def test_failure_is_told_to_all_and_ends_with_it() -> None:
    """What fails as a whole fails for each request in it, and for no later one."""

    async def play(store: Store) -> None:
        store.failing = OSError("gone")
        convoy = Convoy(store.send, width=1, most=10)
        tasks = await asked(convoy, [1, 2, 3])
        store.let_go()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        store.failing = None

        assert ["gone"] * 3 == [str(end) for end in ends]
        assert await convoy.ask(4) == -4

    played(play)


def test_sender_that_leaves_cuts_nobody_short() -> None:
    """What was sent for several goes on for those who stay, and isn't sent again."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=1, most=3)
        first, second, *others = await asked(convoy, [1, 2, 3, 4, 5])
        first.cancel()
        await asyncio.wait([first])
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait([second])
        store.let_go()

        assert [-3, -4, -5] == await asyncio.gather(*others)
        assert [[1], [2, 3, 4], [5]] == store.sent

    played(play)


def test_who_leaves_last_sees_to_its_end() -> None:
    """Once nobody waits for an answer any more, nothing is under way."""

    async def play(store: Store) -> None:
        async def send(requests: Sequence[int]) -> Sequence[int | Exception]:
            try:
                return await store.send(requests)
            finally:
                await asyncio.sleep(0.001)

        convoy = Convoy(send, width=1, most=3)
        for task in await asked(convoy, [1, 2, 3, 4]):
            task.cancel()
            await asyncio.wait([task])
            await asyncio.sleep(0)
        alone = {asyncio.current_task()}

        assert [[1], [2, 3, 4]] == store.sent
        assert alone == asyncio.all_tasks()
        store.let_go()
        assert await convoy.ask(5) == -5

    played(play)


@pytest.mark.parametrize("moment", range(8))
def test_turn_is_free_whenever_all_leave(moment: int) -> None:
    """Also if they do so before anything was sent, and nobody answers."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=1, most=3)
        first, *others = await asked(convoy, [1, 2, 3])
        first.cancel()
        for _ in range(moment):
            await asyncio.sleep(0)
        for task in others:
            task.cancel()
        await asyncio.wait(others)
        store.let_go()

        assert await convoy.ask(4) == -4

    played(play)


def test_what_is_cut_by_somebody_else_is_sent_again() -> None:
    """When what is under way is cancelled, though nobody left, all are answered."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=1, most=10)
        first, *others = await asked(convoy, [1, 2, 3])
        before = asyncio.all_tasks()
        first.cancel()
        await asyncio.wait([first])
        await asyncio.sleep(0)
        [trip] = asyncio.all_tasks() - before
        trip.cancel()
        await asyncio.wait([trip])
        store.let_go()

        assert [-2, -3] == await asyncio.gather(*others)
        assert [[1], [2, 3], [2, 3]] == store.sent

    played(play)


def test_who_leaves_while_waiting_is_left_out() -> None:
    """A request that nobody waits for any more isn't sent."""

    async def play(store: Store) -> None:
        convoy = Convoy(store.send, width=1, most=10)
        first, second, third = await asked(convoy, [1, 2, 3])
        second.cancel()
        store.let_go()

        assert [-1, -3] == [await first, await third]
        assert [[1], [3]] == store.sent

    played(play)


@pytest.mark.parametrize("seed", range(4))
def test_turn_is_never_lost(seed: int) -> None:
    """However many leave at whatever moment, those who stay are answered."""
    rng = random.Random(seed)

    async def slowly(requests: Sequence[int]) -> Sequence[int]:
        for _ in range(rng.randrange(4)):
            await asyncio.sleep(0)
        return [-request for request in requests]

    async def leave(tasks: Sequence[asyncio.Task[int]]) -> None:
        for task in rng.sample(tasks, rng.randrange(len(tasks))):
            for _ in range(rng.randrange(3)):
                await asyncio.sleep(0)
            task.cancel()

    async def play(_store: Store) -> None:
        convoy: Convoy[int, int] = Convoy(slowly, width=rng.randint(1, 3), most=4)
        for _ in range(ROUNDS):
            tasks = await asked(convoy, range(rng.randint(1, ASKERS)))
            await leave(tasks)
            ends = await asyncio.gather(*tasks, return_exceptions=True)

            assert [
                end
                for request, end in enumerate(ends)
                if end != -request and not isinstance(end, asyncio.CancelledError)
            ] == []
            assert await convoy.ask(7) == -7

    played(play)
