"""A connection to the file, in a thread of its own; those who wait for it hop together.

Decides transactions, and how long they wait for the lock. Must not know the steps.

SQLite has one write lock for the whole file. Its own way of waiting for it backs off to
tenths of a second, so that the process which has waited longest is the least likely to
be next, and it goes on waiting when nobody wants the answer any more. Here whoever
waits looks for the lock again after a short random time, the same for all, and gives up
as soon as its caller has left. So a transaction that was given up before it began never
happens, and a thread that was held up doesn't work off what nobody waits for.
"""

import asyncio
import random
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeVar, TypeVarTuple, cast

import aiosqlite

from anarchon.backends.convoy import Convoy
from anarchon.backends.sqlite.place import Place
from anarchon.backends.sqlite.sql import Tables, code_of

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

Step = Callable[[], object]

WAIT_FOR_LOCK = 5.0
# so many hold the lock for some milliseconds, during which other processes wait
STEPS_AT_ONCE = 64
_LOOK_AGAIN = (0.000_5, 0.004)


class Caller:
    """Whoever waits for what a hop brings; ``left`` once nobody does."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: bool = False


class Connection(aiosqlite.Connection):
    """aiosqlite's connection, which can also run a function in its thread."""

    def __init__(
        self,
        connect: Callable[[Path], sqlite3.Connection],
        path: Path,
        statements: Mapping[str, str],
        now: Callable[[], int],
    ) -> None:
        super().__init__(self._open_file, iter_chunk_size=1)
        self._opener = connect
        self._path = path
        self._file: sqlite3.Connection | None = None
        self._place: Place | None = None
        # a process whose loop crashed must be able to end
        self._thread.daemon = True
        self._thread.name = "anarchon-sqlite"
        self._stopped: asyncio.Future[None] | None = None
        self._statements = statements
        self._now = now
        self._writes: Convoy[Step, object] = Convoy(
            self._write, width=1, most=STEPS_AT_ONCE
        )

    async def __aenter__(self) -> Self:
        try:
            await self
        except BaseException:
            # a thread that outlives its loop dies of that
            if self._stopped is not None:
                await self._stopped  # noqa: ASYNC102  struck once, by the bridge
            raise
        return self

    def stop(self) -> asyncio.Future[None] | None:
        """Have the thread end; the future says when it is about to."""
        # aiosqlite forgets a file that is opened after its caller has left
        self._tx.put_nowait(  # pyright: ignore[reportUnknownMemberType]
            (None, self._close_file)
        )
        self._stopped = super().stop()  # pyright: ignore[reportUnknownMemberType]
        return self._stopped

    def _open_file(self) -> sqlite3.Connection:
        self._file = self._opener(self._path)
        self._place = Place(self._path)
        return self._file

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()

    async def write(self, step: Callable[[Tables, int, *Ts], T], *args: *Ts) -> T:
        """Run a step, and keep what it wrote only if it succeeds.

        Steps that wait for this thread share one transaction, and so the one time that
        the file is synced. Cancelled, it has happened, or will, or not; it is never
        half done.
        """
        answer = await self._writes.ask(lambda: self._run(step, *args))
        return cast("T", answer)

    async def read(self, step: Callable[[Tables, int, *Ts], T], *args: *Ts) -> T:
        """Run a step of one statement, which changes nothing and takes no lock."""
        return await self._hop(
            lambda caller: patiently(caller, lambda: self._run(step, *args))
        )

    async def _write(self, steps: Sequence[Step]) -> list[object]:
        return await self._hop(lambda caller: self._transaction(caller, steps))

    async def _hop(self, work: Callable[[Caller], T]) -> T:
        caller = Caller()
        try:
            # aiosqlite has no public way to its thread
            answer: T = await self._execute(work, caller)  # type: ignore[no-untyped-call]
        except asyncio.CancelledError:
            caller.left = True
            raise
        return answer

    def _transaction(self, caller: Caller, steps: Sequence[Step]) -> list[object]:
        """Run steps while holding the write lock from the start; return their ends."""
        connection = self._conn
        patiently(caller, lambda: connection.execute("BEGIN IMMEDIATE"))
        try:
            answers = [self._tried(step) for step in steps]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return answers

    def _tried(self, step: Step) -> object:
        """Return a step's answer, or its error once what it wrote is undone."""
        self._conn.execute("SAVEPOINT step")
        try:
            answer = step()
        except Exception as error:  # the other steps go on
            if not self._conn.in_transaction:
                # with a full disk, say, SQLite has undone all of them
                raise
            self._conn.execute("ROLLBACK TO step")
            answer = error
        self._conn.execute("RELEASE step")
        return answer

    def _run(self, step: Callable[[Tables, int, *Ts], T], *args: *Ts) -> T:
        assert self._place is not None
        self._place.check()
        return step(Tables(self._conn, self._statements), self._now(), *args)


def patiently(caller: Caller, attempt: Callable[[], T]) -> T:
    """Attempt until the file isn't locked, for as long as the caller waits."""
    deadline = time.monotonic() + WAIT_FOR_LOCK
    while not caller.left:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(*_LOOK_AGAIN))
    raise TimeoutError("nobody waits for this step any more")
