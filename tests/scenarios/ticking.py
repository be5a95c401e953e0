"""A job that ticks beside a run, and shows whether slots come and go as they should.

Decides its period, and what a gap in it is. Must not know what is done to anybody.
"""

import time

from tests.processes.journal import Phase
from tests.processes.setup import Handler
from tests.scenarios.evidence import Evidence
from tests.scenarios.judging import holds, same
from tests.scenarios.stage import Stage

TICK = "tick"
# in seconds
PERIOD = 1.0


def add_ticks(stage: Stage) -> None:
    """Add the job that ticks to whatever begins from now on."""
    stage.every(PERIOD, Handler(), TICK)


def at_work_among_ticks(stage: Stage, handler: Handler) -> str:
    """Let loaded instances begin with a run beside the ticks; return who has the run.

    It is at work then, and the next tick is most of a period ahead.
    """
    slot = stage.once(handler)
    stage.begin()
    until_ticked(stage, since=slot / 1000 - PERIOD / 2)
    return stage.at_work().who


def until_ticked(
    stage: Stage, on: str | None = None, since: float | None = None
) -> None:
    """Wait until a tick has run on an instance, or on any, that is due from then on.

    That is now, or so many seconds since 1970 UTC.
    """
    begin = 1000 * (time.time() if since is None else since)

    def ticked() -> bool:
        runs = stage.cluster.seen("success", on)
        return any(run.job == TICK and run.slot >= begin for run in runs)

    stage.until(ticked)


def until_all_ticked(stage: Stage, names: str) -> None:
    """Wait until each of these has run or skipped a tick that is due from now on."""
    begin = 1000 * time.time()

    def missing() -> set[str]:
        told = [*stage.cluster.seen("success"), *stage.cluster.seen("skip")]
        return set(names) - {r.who for r in told if r.job == TICK and r.slot >= begin}

    stage.until(lambda: not missing())


def ticks(seen: Evidence, begin: float = 0.0) -> list[int]:
    """Return the ticks that were run of those due from then on, in s since 1970 UTC.

    Raises:
        Broken: one of them was begun twice, or one up to the last is missing.
    """
    lines = seen.about(TICK).written(Phase.START)
    found = sorted(line.slot for line in lines if line.slot >= begin * 1000)
    holds(found, "nothing ticked")
    period = round(PERIOD * 1000)
    same(list(range(found[0], found[-1] + 1, period)), found)
    missing = found[0] / 1000 - begin
    holds(not begin or missing < PERIOD, f"no tick for {missing:.2f} s")
    return found
