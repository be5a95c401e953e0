"""The show: what is done to the instances, and when.

Decides each deed by what the instances have reported, never by time alone. Must not
know how it is shown, nor whether the promises were kept.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from anarchon.cli.demo.plan import INSTANCES, REPORT, SYNC
from anarchon.cli.demo.story import Bar, Phase, Story
from anarchon.cli.processes import Cluster
from anarchon.cli.setup import Setup

T = TypeVar("T")


class Show:
    """The acts, in order. ``awaited`` is what the show is waiting for."""

    def __init__(
        self, cluster: Cluster, story: Story, setup_of: Callable[[str], Setup]
    ) -> None:
        self.awaited: str = "nothing"
        self._cluster = cluster
        self._story = story
        self._setup_of = setup_of

    async def play(self) -> None:
        """Play all acts; cancelled, the processes are left as they are.

        Raises:
            InstanceFailed: a process ended by itself.
        """
        await self._share()
        await self._kill()
        await self._stop()
        await self._end()

    async def _share(self) -> None:
        self._announce("Three instances share a store and the work")
        for name in INSTANCES:
            await self._cluster.spawn(self._setup_of(name))
        await self._all(Phase.READY, INSTANCES)

    async def _kill(self) -> None:
        runner = await self._halfway()
        self._announce("The runner is killed in the middle of a run")
        self._cluster[runner.instance_id].kill()
        await self._until("the killed process to end", self._exited(runner.instance_id))
        await self._next_attempt(runner)
        await self._cluster.spawn(self._setup_of(runner.instance_id))
        await self._next_end(runner)
        await self._all(Phase.READY, [runner.instance_id])

    async def _stop(self) -> None:
        # who is stopped now must have had its share, since it doesn't come back
        runner = await self._halfway(wins=1)
        self._announce("The runner is stopped in the middle of a run")
        self._cluster[runner.instance_id].stop()
        await self._next_attempt(runner)
        await self._all(Phase.STOPPED, [runner.instance_id])
        await self._next_end(runner)

    async def _end(self) -> None:
        """Stop the others between two runs, once each instance has had its share."""
        wins = self._story.wins
        await self._until(
            f"each instance to win a slot of {SYNC}",
            lambda: all(wins(SYNC).values()) or None,
        )
        before = sum(wins(SYNC).values())
        await self._until(
            f"a run of {SYNC} to end", lambda: sum(wins(SYNC).values()) > before or None
        )
        self._announce("The others are stopped between two runs")
        left = [n for n, lane in self._story.lanes.items() if lane.phase is Phase.READY]
        for name in left:
            self._cluster[name].stop()
        await self._all(Phase.STOPPED, left)

    # --- what is waited for -----------------------------------------------------------

    async def _halfway(self, *, wins: int = 0) -> Bar:
        """Wait for a half done report whose runner has won so many other slots."""

        def found() -> Bar | None:
            bar = self._story.halfway(REPORT)
            won = self._story.wins(SYNC)
            return bar if bar and won[bar.instance_id] >= wins else None

        return await self._until("a report to be halfway", found)

    async def _next_attempt(self, bar: Bar) -> Bar:
        what = f"attempt {bar.attempt + 1} of {bar.job} to start"
        return await self._until(
            what, lambda: self._story.find(bar.job, bar.slot, bar.attempt + 1)
        )

    async def _next_end(self, bar: Bar) -> None:
        following = await self._next_attempt(bar)
        await self._until(
            f"attempt {following.attempt} of {bar.job} to end", lambda: following.end
        )

    async def _all(self, phase: Phase, names: Sequence[str]) -> None:
        lanes = [self._story.lanes[name] for name in names]
        await self._until(
            f"{' and '.join(names)} to be {phase}",
            lambda: all(lane.phase is phase for lane in lanes) or None,
        )

    def _exited(self, name: str) -> Callable[[], float | None]:
        lives = self._story.lanes[name].lives
        return lambda: lives[-1].exited

    async def _until(self, what: str, reached: Callable[[], T | None]) -> T:
        self.awaited = what
        return await self._cluster.until(reached)

    def _announce(self, text: str) -> None:
        self._story.announce(text, time.time())
