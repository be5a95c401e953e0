"""Requests that wait for their turn, and then go together: group commit.

Decides who sends what, and when. Must not know what is sent.

So many may send at a time. Whoever comes while all of them are busy waits, and the
first who gets a turn takes all who wait along. So nobody ever waits for company; but
under load a round trip, or a commit to disk, is shared by as many as it took to arrive.

There is no task here that could outlive the store. Whoever has the turn sends for the
others in its own task; if that is cut short, they don't know what has become of their
requests, and so send them again, which a step's laws make harmless.
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
        elif await self._wait(asked):
            await self._lead(asked)
        return asked.answer()

    async def _wait(self, asked: "_Asked[Q, A]") -> bool:
        """Wait for an answer, or for the turn to send; tell whether it is that."""
        self._waiting.append(asked)
        try:
            await asked.news
        except asyncio.CancelledError:
            if asked.leads:
                self._pass_on()
            raise
        return asked.leads

    async def _lead(self, asked: "_Asked[Q, A]") -> None:
        """Send this request and those that wait, and give the turn to the next."""
        together = [asked, *self._take(self._most - 1)]
        try:
            answers = await self._carry_out([one.request for one in together])
        except BaseException:
            # cut short: the first of the others sends for all of them again
            self._waiting.extendleft(reversed(together[1:]))
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

    __slots__ = ("_answer", "leads", "news", "request")

    def __init__(self, request: Q) -> None:
        self.request: Q = request
        self.leads: bool = False
        self.news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answer: A | Exception

    @property
    def waits(self) -> bool:
        """Whether somebody waits for news that haven't come."""
        return not self.news.done()

    def lead(self) -> None:
        """Give it the turn."""
        self.leads = True
        self.news.set_result(None)

    def receive(self, answer: A | Exception) -> None:
        """Take the answer, for whoever still waits for it."""
        self._answer = answer
        if self.waits:
            self.news.set_result(None)

    def answer(self) -> A:
        """Return the answer, or raise it."""
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer
