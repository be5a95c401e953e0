"""Scenarios on a terminal, drawn as they are played.

Decides when what is drawn, and what is left behind above. Must not know how a scenario
is drawn.
"""

import time
from collections.abc import Sequence
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from tests.scenarios.performance import Performance, Playing
from tests.scenarios.scenario import Scenario
from tests.scenarios.show.findings import all_well, findings_of
from tests.scenarios.show.frame import Room, View, frame, legend_of
from tests.scenarios.show.looks import can_write_glyphs
from tests.scenarios.show.run import Run
from tests.scenarios.show.table import conclusion, table_of
from tests.scenarios.show.timeline import timeline_of

# s; drawing more often would cost the instances time on a small machine
EVERY = 0.25
# a line is left free, so that the terminal doesn't scroll
FREE = 1


class LiveShow:
    """Draws the scenario that is played in place; those before stay above it."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._drawn = 0.0
        self._ascii_only = not can_write_glyphs(self._console.file)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def watch(self, playings: Sequence[Playing]) -> None:
        """Draw all stores as they are now, unless that was done just before."""
        now = time.monotonic()
        if not playings or now - self._drawn < EVERY:
            return
        self._drawn = now
        views = [_view_of(playing, now) for playing in playings]
        room = self._room(self._console.height - FREE)
        lines, legend = frame(playings[0].scenario, views, room), legend_of(room)
        if len(lines) + len(legend) <= room.height:
            lines += legend
        self._live.update(Group(*lines), refresh=True)

    def ended(self, scenario: Scenario, performances: Sequence[Performance]) -> None:
        """Leave the whole scenario above, with what was broken."""
        views = [_view_after(one) for one in performances]
        self._live.update(Text(), refresh=True)
        whole = frame(scenario, views, self._room(0))
        self._console.print(Group(*whole, *_complaints(performances), Text()))

    def conclude(self, run: Run) -> None:
        """Leave the summary table at the end."""
        self._live.stop()
        legend = Group(*legend_of(self._room(0)))
        self._console.print(legend, Text(), table_of(run), conclusion(run), sep="\n")

    def _room(self, height: int) -> Room:
        width = self._console.width
        return Room(width=width, height=height, ascii_only=self._ascii_only)


def _view_of(playing: Playing, now: float) -> View:
    done = playing.performance
    if done is not None:
        return _view_after(done)
    timeline = timeline_of(playing.reports(), now)
    return View(store=playing.place.store, timeline=timeline, performance=None)


def _view_after(done: Performance) -> View:
    timeline = timeline_of(done.reports, done.ended)
    return View(store=done.store, timeline=timeline, performance=done)


def _complaints(performances: Sequence[Performance]) -> list[Text]:
    broken = [
        Text.assemble((f" {store}: ", "bold red"), f"{finding.promise}\n   {problem}")
        for finding in findings_of(performances)
        for store, problem in finding.problems.items()
    ]
    failed = [
        Text.assemble((f" {one.store.name}: ", "bold red"), one.why)
        for one in performances
        if one.why and not all_well([one])
    ]
    return broken + failed
