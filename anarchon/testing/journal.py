"""What happened in a cluster: every event, by one true time.

Decides what is kept and how it reads. Must not know how a cluster works.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Generic, TypeVar

import anyio
import anyio.lowlevel

from anarchon.events import Event, RunEvent
from anarchon.model import RunRecord

What_co = TypeVar("What_co", covariant=True, bound="Event | str")
E = TypeVar("E", bound=Event)

# said in front of the rest, or by the record
_SAID = {"instance_id", "at", "job", "slot", "attempt", "exception"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Generic[What_co]):
    """One thing that happened.

    ``time`` is the loop's, in seconds, whatever any clock said. ``what`` is an event of
    the scheduler, or a note of what was done to the instance.
    """

    time: float
    instance: str
    what: What_co

    def __str__(self) -> str:
        text = self.what if isinstance(self.what, str) else _describe(self.what)
        return f"{self.time:12.3f}  {self.instance}  {text}"


class Journal:
    """Keeps entries in order, and wakes whoever waits for something to happen."""

    def __init__(self) -> None:
        self.entries: list[Entry[Event | str]] = []
        self._stirred = anyio.Event()

    def write(self, instance: str, what: Event | str) -> None:
        """Keep an event or a note, at the loop's time."""
        time = anyio.current_time()
        self.entries.append(Entry(time=time, instance=instance, what=what))
        self.stir()

    def stir(self) -> None:
        """Let every condition be looked at again."""
        self._stirred.set()
        self._stirred = anyio.Event()

    def seen(self, kind: type[E], *, on: str | None = None) -> list[Entry[E]]:
        """Return the events of a kind, of all instances or of one, oldest first."""
        return [
            Entry(time=entry.time, instance=entry.instance, what=entry.what)
            for entry in self.entries
            if isinstance(entry.what, kind) and on in {None, entry.instance}
        ]

    async def wait_for(self, condition: Callable[[], bool], *, within: float) -> None:
        """Wait until a condition holds; it is looked at whenever something happens.

        Raises:
            AssertionError: it didn't hold within so many seconds; tells the story.
        """
        with anyio.move_on_after(within):
            await anyio.lowlevel.checkpoint()
            while not condition():
                await self._stirred.wait()
            return
        raise AssertionError(f"not within {within:g} s:\n{self.story()}")

    def story(self) -> str:
        """Return all that happened as text: a line each, time, instance, what."""
        return "\n".join(map(str, self.entries))


def _describe(event: Event) -> str:
    words = [event.name]
    if isinstance(event, RunEvent):
        words.append(f"{event.job} {_instant(event.slot)} attempt {event.attempt}")
    for field in fields(event):
        value: object = getattr(event, field.name)
        if field.name not in _SAID and value is not None:
            words.append(_detail(field.name, value))
    return " ".join(words)


def _detail(name: str, value: object) -> str:
    if isinstance(value, RunRecord):
        return value.status if value.error is None else f"{value.status}: {value.error}"
    return f"{name}={value}"


def _instant(slot: int) -> str:
    instant = datetime.fromtimestamp(slot / 1000, UTC)
    return f"{instant:%H:%M:%S}.{slot % 1000:03}"
