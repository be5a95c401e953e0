"""What follows from the log of claims: who has which slot, and how that ended.

Decides who wins: whoever's entry is the first for a slot. Every instance reads the same
log and so comes to the same answer. Must not know where the entries come from.
"""

from dataclasses import dataclass

from anarchon.backends.rabbitmq.entries import Claimed, Ended, Entry, Mark


@dataclass(slots=True, kw_only=True)
class Run:
    """A slot that was granted; ``mine`` says that its runner is in this process."""

    claimed: Claimed
    read_at: float
    ended: Ended | None = None
    mine: bool = False

    def held_by(self, token: str) -> bool:
        """Whether this token may still end the run."""
        return self.ended is None and self.claimed.token == token


class Table:
    """The runs whose entries were read in the last ``remember`` seconds.

    Times are monotonic. Applying entries again that were applied before changes
    nothing, so that any stretch of the log may be read twice.
    """

    def __init__(self, remember: float) -> None:
        self._remember = remember
        self._runs: dict[tuple[str, int], Run] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def run(self, job: str, slot: int) -> Run | None:
        """Return the run of a slot, if it was granted."""
        return self._runs.get((job, slot))

    def going_on(self, job: str) -> list[Claimed]:
        """Return the claims of a job that won and have not ended."""
        return [
            run.claimed
            for run in self._runs.values()
            if run.claimed.job == job and run.ended is None
        ]

    def apply(self, entry: Entry, now: float) -> None:
        """Take the next entry of the log into account, and forget what is old."""
        match entry:
            case Claimed():
                run = Run(claimed=entry, read_at=now)
                self._runs.setdefault((entry.job, entry.slot), run)
            case Ended():
                self._end(entry)
            case Mark():
                pass
        self._forget(before=now - self._remember)

    def _end(self, entry: Ended) -> None:
        run = self.run(entry.job, entry.slot)
        if run is not None and run.held_by(entry.token):
            run.ended = entry

    def _forget(self, before: float) -> None:
        # the oldest come first; a run that goes on here is put behind the newest
        while self._runs:
            key, run = next(iter(self._runs.items()))
            if run.read_at >= before:
                break
            del self._runs[key]
            if run.mine and run.ended is None:
                run.read_at = before + self._remember
                self._runs[key] = run
