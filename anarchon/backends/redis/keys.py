"""The names of the keys under which a job is kept.

Decides that all keys of a job lie on one node of a cluster. Must not know what is in
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from anarchon.backends.names import escaped
from anarchon.backends.redis.strategy import Strategy

LONGEST = 200


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one namespace."""

    namespace: str
    strategy: Strategy

    def of_job(self, job: str, slot: int = 0) -> tuple[str, str, str]:
        """Return the keys of a job: records, their order, and what is claimed.

        That is of this slot alone, or of all slots.
        """
        prefix = self._prefix(job)
        return f"{prefix}:records", f"{prefix}:order", self._claimed(prefix, slot)

    def of_history(self, job: str) -> Sequence[str]:
        """Return the keys of a job's history; with leases, a part is among the runs."""
        keys = self.of_job(job)
        return keys if self.strategy is Strategy.LEASE else keys[:2]

    def of_runs(self, job: str) -> str:
        """Return the key of a job's unfinished runs, with leases."""
        return self.of_job(job)[2]

    @property
    def anywhere(self) -> str:
        """A key at which nothing is kept, for a script that needs none."""
        return f"{self.namespace}:time"

    def _prefix(self, job: str) -> str:
        # in braces: what a cluster chooses the node by
        return f"{self.namespace}:{{{escaped(job, LONGEST)}}}"

    def _claimed(self, prefix: str, slot: int) -> str:
        match self.strategy:
            case Strategy.LEASE:
                return f"{prefix}:runs"
            case Strategy.STREAM_ID | Strategy.IDMP:
                return f"{prefix}:{self.strategy}"
            case Strategy.SCRIPT:
                return f"{prefix}:slot:{slot}"
