"""What the engine knows of one job on this instance, between start and stop.

Decides nothing. Its ``turn`` lets one claim of the job be asked for at a time, in the
order in which they came, so that the store sees the slots of a job in order.
"""

from typing import TYPE_CHECKING

import anyio

from anarchon.jobs import Job

if TYPE_CHECKING:
    from anarchon.engine.watch import Watch
    from anarchon.protocol import Claim


class JobState:
    """One registered job: its armed slot, its turn to claim, and what is watched.

    Until it is ``taken_on`` nothing of it is armed or watched. ``early`` is the last
    claim, if the answer to it was that.
    """

    __slots__ = (
        "_turn",
        "armed",
        "early",
        "far_ahead",
        "job",
        "removed",
        "taken_on",
        "watch",
    )

    def __init__(self, job: Job) -> None:
        self.job: Job = job
        self.armed: int | None = None
        self.early: Claim | None = None
        self.removed: bool = False
        self.taken_on: bool = False
        self.far_ahead: bool = False
        self.watch: Watch | None = None
        self._turn: anyio.Semaphore | None = None

    @property
    def turn(self) -> anyio.Semaphore:
        """The job's turn to claim; held from the first asking to the last answer."""
        # ten thousand idle jobs need none
        if self._turn is None:
            self._turn = anyio.Semaphore(1, max_value=1, fast_acquire=True)
        return self._turn
