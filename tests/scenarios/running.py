"""Scenarios one after the other, each on all stores at once.

Decides the order, and that whoever watches is told of what goes on. Must not know how
it is shown.
"""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.scenarios.performance import Performance, Playing
from tests.scenarios.scenario import Scenario
from tests.scenarios.stores import Place, Store, opened
from tests.servers.fleet import Fleet

# seconds between two looks of whoever watches
LOOK = 0.1

Watch = Callable[[Sequence[Playing]], None]


@contextmanager
def places(
    stores: Sequence[Store], folder: Path
) -> Generator[tuple[list[Place], dict[str, str]]]:
    """Start the servers of these stores at the same time; leaving ends them.

    Gives the places of those that could be had, and why the others couldn't, by name.
    """
    with Fleet() as fleet, ExitStack() as stack:

        def start(store: Store) -> Place | str:
            try:
                return stack.enter_context(opened(store, fleet, folder / store.name))
            except pytest.skip.Exception as absent:
                return str(absent)

        with ThreadPoolExecutor(len(stores)) as threads:
            started = list(zip(stores, threads.map(start, stores), strict=True))
        yield (
            [place for _, place in started if isinstance(place, Place)],
            {store.name: why for store, why in started if isinstance(why, str)},
        )


def perform(
    scenario: Scenario, there: Sequence[Place], folder: Path, watch: Watch
) -> list[Performance]:
    """Play a scenario on these stores at the same time, and return what was found.

    ``watch`` is called again and again until the end, and once at it. When it raises,
    the plays are ended first.
    """
    playings = [Playing(scenario, place, folder / place.store.name) for place in there]
    with ThreadPoolExecutor(len(playings)) as threads:
        ends = [threads.submit(playing.play) for playing in playings]
        try:
            while wait(ends, LOOK).not_done:
                watch(playings)
            watch(playings)
        except BaseException:
            for playing in playings:
                playing.abandon()
            raise
        return [end.result() for end in ends]
