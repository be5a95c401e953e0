"""The demo as plain lines: for files, pipes and terminals that can't do more.

Decides when a line is complete. No control codes, ASCII only.
"""

import sys
from collections.abc import Sequence
from typing import Self

from anarchon import RunRecord
from anarchon.cli.demo.notes import Note
from anarchon.cli.demo.plan import SYNC, about
from anarchon.cli.demo.promise import Promise
from anarchon.cli.demo.story import Story
from anarchon.cli.demo.table import history_lines, promise_lines

# so many slots are told in one line
CROWD = 10


class PlainScreen:
    """Prints each note once; the short job's runs are gathered into lines."""

    def __init__(self, loop: str) -> None:
        self._loop = loop
        self._printed = 0
        self._crowd: list[Note] = []

    def __enter__(self) -> Self:
        _print("anarchon demo", about(self._loop))
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def refresh(self, story: Story, now: float) -> None:
        """Print the notes that are new."""
        del now
        for note in story.notes[self._printed :]:
            self._take(note, story.began)
        self._printed = len(story.notes)

    def conclude(
        self, story: Story, records: Sequence[RunRecord], promises: Sequence[Promise]
    ) -> None:
        """Print the history and the verdict."""
        self._print_crowd(story.began)
        _print("", "History, as the store has it", "")
        _print(*(f"  {line}" for line in history_lines(records, story.began)))
        _print("", "Promises", "")
        for promise in promises:
            _print(*(f"  {line}" for line in promise_lines(promise)))

    def _take(self, note: Note, began: float) -> None:
        if note.minor:
            self._crowd.append(note)
        if not note.minor or len(self._crowd) == CROWD:
            self._print_crowd(began)
        if note.heading:
            _print("", note.text, "")
        elif not note.minor:
            _print(_line(note.at - began, note.instance_id, note.text))

    def _print_crowd(self, began: float) -> None:
        if self._crowd:
            winners = " ".join(note.instance_id for note in self._crowd)
            at = self._crowd[0].at - began
            _print(_line(at, "", f"{SYNC} is run by {winners}"))
        self._crowd.clear()


def _line(at: float, instance_id: str, text: str) -> str:
    return f"  {at:5.1f} s  {instance_id:1}  {text}"


def _print(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    # at once, for whoever reads it as it comes
    sys.stdout.flush()
