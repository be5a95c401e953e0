"""A run of scenarios, and what shows it: live, as lines, or as a file.

Decides what is known of a run as a whole. Must not know how it is shown.
"""

import platform
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self

from tests.scenarios.performance import Performance, Playing
from tests.scenarios.scenario import Scenario
from tests.scenarios.stores import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Scenarios that were performed, each on some stores.

    ``began`` is wall time, with its zone; ``took`` is in seconds. ``servers`` has the
    version of what is behind each store, by the store's name.
    """

    scenarios: Sequence[Scenario]
    performances: Sequence[Performance]
    began: datetime
    took: float
    python: str
    machine: str
    servers: Mapping[str, str]

    def of(self, scenario: Scenario) -> list[Performance]:
        """Return the performances of a scenario."""
        return performances_of(scenario, self.performances)


class Show(Protocol):
    """Where a run is shown. All of it is called in one thread."""

    def __enter__(self) -> Self:
        """Begin to show."""
        ...

    def __exit__(self, *error: object) -> None:
        """Leave what was shown to be read, and the terminal as it was."""
        ...

    def watch(self, playings: Sequence[Playing]) -> None:
        """Show a scenario that goes on, as it is now."""
        ...

    def ended(self, scenario: Scenario, performances: Sequence[Performance]) -> None:
        """Show what became of a scenario, after it was watched."""
        ...

    def conclude(self, run: Run) -> None:
        """Show the summary of all that has ended."""
        ...


def performances_of(
    scenario: Scenario, performances: Iterable[Performance]
) -> list[Performance]:
    """Return those of a scenario."""
    return [one for one in performances if one.scenario == scenario.number]


def python_here() -> str:
    """Return which Python this is."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def machine_here() -> str:
    """Return what kind of machine this is."""
    return f"{platform.system()} {platform.machine()}"


def servers_of(places: Iterable[Place]) -> dict[str, str]:
    """Return what is behind each store, by its name."""
    return {place.store.name: _version(place) for place in places}


def _version(place: Place) -> str:
    server = place.server
    version = sqlite3.sqlite_version if server is None else server.version
    return f"{place.store.product} {version}"
