"""What a schedule is: two questions about its slots.

Decides nothing else. Must not know any particular schedule.
"""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Schedule(Protocol):
    """When a job is due; ``Every``, ``Cron``, or anything with these two methods.

    Slots are whole milliseconds since 1970 UTC and depend on nothing but the schedule,
    so that every instance computes the same ones. Both answers must come in time that
    doesn't grow with the distance, and must be safe to ask from any thread.
    """

    def next_after(self, ms: int) -> int:
        """Return the first slot strictly after this instant."""
        ...

    def latest_at(self, ms: int) -> int | None:
        """Return the last slot at or before this instant, ``None`` if there is none."""
        ...
