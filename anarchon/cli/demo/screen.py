"""What a screen of the demo offers, whatever it looks like."""

from collections.abc import Sequence
from typing import Protocol, Self

from anarchon import RunRecord
from anarchon.cli.demo.promise import Promise
from anarchon.cli.demo.story import Story


class Screen(Protocol):
    """Where the demo is shown. All of it is called in one thread."""

    def __enter__(self) -> Self:
        """Begin to show."""
        ...

    def __exit__(self, *error: object) -> None:
        """Leave the terminal as it was, with what was shown still to be read."""
        ...

    def refresh(self, story: Story, now: float) -> None:
        """Show the story as it stands; ``now`` is wall time, s since 1970 UTC."""
        ...

    def conclude(
        self, story: Story, records: Sequence[RunRecord], promises: Sequence[Promise]
    ) -> None:
        """Show the history and the verdict, after the last refresh."""
        ...
