"""Requests that wait for their turn, and then go together: group commit.

Decides who sends what, and when. Must not know what is sent.

So many may send at a time. Whoever comes while all of them are busy waits, and the
first who gets a turn takes all who wait along. So nobody ever waits for company; but
under load a round trip, or a commit to disk, is shared by as many as it took to arrive.

Those who go together go in a task of their own, which goes on while one of them waits
for an answer. It is cut short by the last who leaves, and so doesn't outlive the store.
Were it cut with the first, the others would have to send again, and be told by a step
that changes nothing what another one has done.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Convoy(Generic[Q, A]):
    """Sends requests by ``send``, at most ``most`` in one go, ``width`` goes at a time.

    ``send`` returns an answer for each request, in their order; an answer that is an
    exception is raised for that request alone. What it raises, it raises for all.
    """

    def __init__(
        self,
        send: Callable[[Sequence[Q]], Awaitable[Sequence[A | Exception]]],
        *,
        width: int,
        most: int,
    ) -> None:
        self._send = send
        self._most = most
        self._free = width
        self._waiting: deque[_Asked[Q, A]] = deque()

    async def ask(self, request: Q) -> A:
        """Return the answer to a request; cancelled, it was carried out or not."""
        asked: _Asked[Q, A] = _Asked(request)
        if self._free:
            self._free -= 1
            await self._lead(asked)
        else:
            self._waiting.append(asked)
        while not asked.answered:
            await self._wait(asked)
        return asked.answer()  # noqa: ASYNC910  it waited for that

    async def _wait(self, asked: "_Asked[Q, A]") -> None:
        """Wait for an answer, or for the turn to send, and send."""
        try:
            await asked.news
        except asyncio.CancelledError:
            if asked.leads:
                self._pass_on()
            elif asked.trip is not None:
                await asked.trip.left()  # noqa: ASYNC102  struck once, by the bridge
            raise
        if asked.leads:
            await self._lead(asked)

    async def _lead(self, asked: "_Asked[Q, A]") -> None:
        """Send this request and those that wait."""
        if others := self._take(self._most - 1):
            asked.wait_again()
            together = [asked, *others]
            _Trip(together, asyncio.create_task(self._travel(together)))
            return  # noqa: ASYNC910  whoever leads waits for the answer
        try:
            [answer] = await self._carry_out([asked.request])
        finally:
            self._pass_on()
        asked.receive(answer)

    async def _travel(self, together: "Sequence[_Asked[Q, A]]") -> None:
        """Send for several, and give the turn to the next."""
        try:
            answers = await self._carry_out([one.request for one in together])
        except BaseException:
            # if it was cut by somebody else, those who still wait send again
            self._waiting.extendleft(reversed(together))
            raise
        finally:
            self._pass_on()
        for one, answer in zip(together, answers, strict=True):
            one.receive(answer)

    async def _carry_out(self, requests: Sequence[Q]) -> Sequence[A | Exception]:
        try:
            return await self._send(requests)
        except Exception as error:  # noqa: BLE001  whatever it is, it is everybody's
            return [error] * len(requests)  # noqa: ASYNC910  it was tried

    def _take(self, most: int) -> "list[_Asked[Q, A]]":
        """Return the first of those that wait; who has left meanwhile is left out."""
        taken: list[_Asked[Q, A]] = []
        while self._waiting and len(taken) < most:
            one = self._waiting.popleft()
            if one.waits:
                taken.append(one)
        return taken

    def _pass_on(self) -> None:
        """Give the turn to the first of those that wait, or leave it free."""
        if first := self._take(1):
            first[0].lead()
        else:
            self._free += 1


class _Asked(Generic[Q, A]):
    """A request; ``news`` come when it was answered, or is to lead."""

    __slots__ = ("_answer", "answered", "leads", "news", "request", "trip")

    def __init__(self, request: Q) -> None:
        self.request: Q = request
        self.answered: bool = False
        self.trip: _Trip[Q, A] | None = None
        self._answer: A | Exception
        self.wait_again()

    @property
    def waits(self) -> bool:
        """Whether somebody waits for news that haven't come."""
        return not self.news.done()

    def wait_again(self) -> None:
        """Be told the next news."""
        self.leads: bool = False
        self.news: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def lead(self) -> None:
        """Give it the turn."""
        self.leads = True
        self.news.set_result(None)

    def receive(self, answer: A | Exception) -> None:
        """Take the answer, for whoever still waits for it."""
        self._answer, self.answered, self.trip = answer, True, None
        if self.waits:
            self.news.set_result(None)

    def answer(self) -> A:
        """Return the answer, or raise it."""
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class _Trip(Generic[Q, A]):
    """Requests on their way together, in a task that runs while one of them waits."""

    __slots__ = ("_task", "_together")

    def __init__(
        self, together: Sequence[_Asked[Q, A]], task: "asyncio.Task[None]"
    ) -> None:
        self._together = together
        self._task = task
        for one in together:
            one.trip = self

    async def left(self) -> None:
        """If nobody waits any more, cut it short and see to its end."""
        if any(one.waits for one in self._together):
            return  # noqa: ASYNC910  whoever leaves was cancelled
        if not self._task.cancelling():
            # it has begun, else it wouldn't give its turn away: its first step was due
            # before whoever waited for it could hear of leaving
            self._task.cancel()
        await asyncio.wait([self._task])
