"""One winner under race: whoever dies on the way, each slot is granted exactly once."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from tests.servers.fleet import Fleet
from tests.stores.claimer import CLAIMERS
from tests.stores.claims import opened
from tests.stores.race import DIES, KILLED, LOOPS, Race
from tests.stores.race_journal import Fate
from tests.stores.stores import Kind, each_kind, new_namespace
from tests.stores.verdict import Verdict, judge, resolved

pytestmark = pytest.mark.timeout(180)

DOWN = 0.5


@each_kind
def test_one_winner_though_claimers_are_killed(
    fleet: Fleet, kind: Kind, tmp_path: Path
) -> None:
    """Of 50 claimers one wins each of 500 slots, and the store remembers which one."""
    url = kind.url(fleet[kind.server].url, new_namespace())
    race = run_race(kind, url, tmp_path)
    assert [] == [line for line in race.lines() if line.fate is Fate.UNKNOWN]


@each_kind
def test_one_winner_though_the_server_is_killed(
    fleet: Fleet, kind: Kind, tmp_path: Path
) -> None:
    """Whoever asks again with the same token hears what had been granted to it."""
    with fleet.fresh(kind.server) as server:
        url = kind.url(server.url, new_namespace())
        race = run_race(kind, url, tmp_path, lambda: server.restart(DOWN))
        outcomes = resolved(race.lines())
    print(f"  claims without an answer at first: {dict(outcomes)}")
    assert outcomes


def run_race(
    kind: Kind, url: str, folder: Path, strike: Callable[[], None] = lambda: None
) -> Race:
    """Race, strike in the middle, and hold that each slot has one winner."""
    with Race(folder, url, kind.stores, kind.step) as race:
        began = time.perf_counter()
        race.begin()
        race.until_asked(1 / 4)
        strike()
        race.until_asked(1 / 2)
        race.kill()
        ended = race.until_ended()
        took = time.perf_counter() - began
        assert "" == race.complaints()
        assert {DIES: -9, KILLED: -9, "C": 0, "D": 0, "E": 0} == ended
        verdict = anyio.run(judged, url, race)
    print(f"{kind.id}, {took:.1f} s on {LOOPS}:\n  {told(race, verdict)}")
    check(verdict, race.slots)
    return race


async def judged(url: str, race: Race) -> Verdict:
    """Ask the store who won."""
    async with opened(url) as link:
        return await judge(link, race.lines(), race.slots)


def check(verdict: Verdict, slots: range) -> None:
    """Hold that each slot has one winner, and that history names it and its end."""
    winners = {slot: verdict.winners(slot) for slot in slots}
    assert {} == {slot: who for slot, who in winners.items() if len(who) > 1}
    assert [] == [slot for slot, who in winners.items() if not who]
    names = {slot: [token.partition(":")[0]] for slot, [token] in winners.items()}
    assert names == verdict.recorded
    assert verdict.finished <= verdict.succeeded


def told(race: Race, verdict: Verdict) -> str:
    """Tell the race in numbers."""
    asked = sum(line.fate is Fate.ASKED for line in race.lines())
    found = sum(map(bool, verdict.found.values()))
    shares = Counter(name[0] for [name] in verdict.recorded.values())
    return (
        f"{len(race.slots)} slots, {len(LOOPS) * CLAIMERS} claimers, {asked} claims; "
        f"{len(verdict.told)} winners told, {found} found; wins {dict(shares)}"
    )
